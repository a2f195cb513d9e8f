-- The clients that developers made for themselves at the embedded identity provider, in the trial alone.
CREATE TABLE platform.identity_client (
    client_id       text        PRIMARY KEY,
    owner           text        NOT NULL,
    name            text        NOT NULL,
    secret_hash     bytea       NOT NULL,
    redirect_uris   text[]      NOT NULL,
    scopes          text[]      NOT NULL,
    access_seconds  integer     NOT NULL,
    refresh_seconds integer     NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN platform.identity_client.owner IS 'the user name of the demo person who made it';
CREATE INDEX identity_client_owner ON platform.identity_client (owner, created_at);

GRANT SELECT, INSERT, UPDATE, DELETE ON platform.identity_client TO balcao_app;
