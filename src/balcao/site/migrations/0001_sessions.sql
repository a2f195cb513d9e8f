-- The sessions of citizens who are logged in to the site. Only the site's own role can reach this schema, and it can
-- reach no other one. The tables have the same columns as the panel's, because both surfaces share the code.

CREATE SCHEMA site;

CREATE TABLE site.session (
    key              bytea PRIMARY KEY,     -- SHA-256 of the cookie, which is not stored
    subject_key      bytea NOT NULL,        -- SHA-256 of issuer and subject
    provider_key     bytea,                 -- SHA-256 of issuer and the provider's session (sid)
    identity         bytea NOT NULL,        -- sealed: the person, and the secret of the forms
    tokens           bytea,                 -- sealed; NULL after the end of the session
    notice           bytea,                 -- sealed: shown once by the next page
    counts           bytea,                 -- sealed: numbers of waiting items
    counted_at       timestamptz,
    actions          bytea,                 -- sealed: the rights at the last page
    generation       integer NOT NULL DEFAULT 1,  -- grows with each refresh of the tokens
    refreshing_until timestamptz,           -- one process refreshes at a time
    begun_at         timestamptz NOT NULL DEFAULT now(),
    used_at          timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz
);
CREATE INDEX session_subject ON site.session (subject_key);
CREATE INDEX session_provider ON site.session (provider_key) WHERE provider_key IS NOT NULL;
CREATE INDEX session_used ON site.session (used_at);

-- Text that a person typed but did not send, for the same person and for a limited time.
CREATE TABLE site.draft (
    id          uuid PRIMARY KEY,
    subject_key bytea NOT NULL,
    content     bytea NOT NULL,             -- sealed: the form's address and fields
    saved_at    timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX draft_subject ON site.draft (subject_key);
CREATE INDEX draft_saved ON site.draft (saved_at);

CREATE VIEW site.migration AS SELECT DISTINCT owner, name, digest FROM platform.migration WHERE owner = 'site';
