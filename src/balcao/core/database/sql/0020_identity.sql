-- What the embedded identity provider, a part of the sandbox, has granted: in the database, so that every process knows
-- it and a restart forgets nothing. A browser's cookie, codes and refresh tokens are kept as hashes only.
CREATE TABLE platform.identity_session (
    id          uuid        PRIMARY KEY,
    cookie_hash bytea       NOT NULL UNIQUE,
    username    text        NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX identity_session_age ON platform.identity_session (expires_at);

-- What one login gave to one client. Whatever ends, what came of it goes with it.
CREATE TABLE platform.identity_grant (
    id         uuid PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES platform.identity_session ON DELETE CASCADE,
    client     text NOT NULL,
    scope      text NOT NULL,
    nonce      text
);
CREATE INDEX identity_grant_session ON platform.identity_grant (session_id);

-- Authorization codes and refresh tokens. A used one stays as long as its grant, so that a second use is noticed.
CREATE TABLE platform.identity_credential (
    hash         bytea       PRIMARY KEY,
    grant_id     uuid        NOT NULL REFERENCES platform.identity_grant ON DELETE CASCADE,
    redirect_uri text,
    challenge    text,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    CHECK ((redirect_uri IS NULL) = (challenge IS NULL))
);
COMMENT ON COLUMN platform.identity_credential.challenge IS 'of a code; a refresh token has none';
CREATE INDEX identity_credential_grant ON platform.identity_credential (grant_id);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON platform.identity_session, platform.identity_grant, platform.identity_credential TO balcao_app;
