-- What the panel keeps of those who are logged in (ADR 0015). Its own role alone reaches this schema, and no other one.

CREATE SCHEMA console;

CREATE TABLE console.session (
    key              bytea PRIMARY KEY,     -- SHA-256 of the cookie, which nobody stores
    subject_key      bytea NOT NULL,        -- SHA-256 of issuer and subject
    provider_key     bytea,                 -- SHA-256 of issuer and the provider's session (sid)
    identity         bytea NOT NULL,        -- sealed: who it is, and the secret of the forms
    tokens           bytea,                 -- sealed; none once the session has ended
    notice           bytea,                 -- sealed: what the next page says once
    generation       integer NOT NULL DEFAULT 1,  -- grows with each refresh of the tokens
    refreshing_until timestamptz,           -- one process refreshes at a time
    begun_at         timestamptz NOT NULL DEFAULT now(),
    used_at          timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz
);
CREATE INDEX session_subject ON console.session (subject_key);
CREATE INDEX session_provider ON console.session (provider_key) WHERE provider_key IS NOT NULL;
CREATE INDEX session_used ON console.session (used_at);

-- What somebody had typed when their session was over: for the same person alone, for a day.
CREATE TABLE console.draft (
    id          uuid PRIMARY KEY,
    subject_key bytea NOT NULL,
    content     bytea NOT NULL,             -- sealed: the form's address and fields
    saved_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX draft_subject ON console.draft (subject_key);
CREATE INDEX draft_saved ON console.draft (saved_at);
