-- Sessions that the identity provider says have ended (OpenID Connect Back-Channel Logout), kept until their tokens have
-- expired. A row is one logout token: the key makes a second use of it fail.
CREATE TABLE platform.ended_session (
    token_hash   bytea            PRIMARY KEY,
    key          bytea            NOT NULL,
    issued_until double precision NOT NULL,
    recorded_at  timestamptz      NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz      NOT NULL
);
COMMENT ON COLUMN platform.ended_session.key IS 'hash of the issuer and the session (sid), or the issuer and the person (sub)';
COMMENT ON COLUMN platform.ended_session.issued_until IS 'Unix seconds: tokens issued later are of another login; infinity for a session';
CREATE INDEX ended_session_recorded ON platform.ended_session (recorded_at);
CREATE INDEX ended_session_age ON platform.ended_session (expires_at);

GRANT SELECT, INSERT ON platform.ended_session TO balcao_app;
