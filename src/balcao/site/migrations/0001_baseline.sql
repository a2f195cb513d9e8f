-- The tables of the site: the sessions of citizens and their drafts. Only the site's own role can use this schema, and
-- it can use no other one. `session` and `draft` have the columns of the panel's tables, because both share their code.
--
-- Content is encrypted ("sealed"): only the site has the key, so the tables reveal no name, CPF or token.

CREATE SCHEMA site;

-- A session that has ended stays for a while, so that text typed in it can still be stored.
CREATE TABLE site.session (
    key              bytea       PRIMARY KEY,
    subject_key      bytea       NOT NULL,
    provider_key     bytea,
    identity         bytea       NOT NULL,
    tokens           bytea,
    notice           bytea,
    counts           bytea,
    counted_at       timestamptz,
    actions          bytea,
    generation       integer     NOT NULL DEFAULT 1,
    refreshing_until timestamptz,
    begun_at         timestamptz NOT NULL DEFAULT now(),
    used_at          timestamptz NOT NULL DEFAULT now(),
    ended_at         timestamptz
);
COMMENT ON COLUMN site.session.key IS 'SHA-256 of the cookie, which is not stored';
COMMENT ON COLUMN site.session.subject_key IS 'SHA-256 of issuer and subject: the person';
COMMENT ON COLUMN site.session.provider_key IS 'SHA-256 of issuer and the session at the identity provider (sid)';
COMMENT ON COLUMN site.session.identity IS 'sealed: the person, and the secret of the forms';
COMMENT ON COLUMN site.session.tokens IS 'sealed; null after the end of the session';
COMMENT ON COLUMN site.session.notice IS 'sealed: shown once, by the next page';
COMMENT ON COLUMN site.session.counts IS 'sealed: how many items wait for the person, for the navigation';
COMMENT ON COLUMN site.session.actions IS
    'sealed: the actions that the person had at the last page. After the session they decide whose text is stored';
COMMENT ON COLUMN site.session.generation IS 'grows with each refresh of the tokens';
COMMENT ON COLUMN site.session.refreshing_until IS 'a lease, so that only one process refreshes the tokens at a time';
CREATE INDEX session_subject ON site.session (subject_key);
CREATE INDEX session_provider ON site.session (provider_key) WHERE provider_key IS NOT NULL;
CREATE INDEX session_used ON site.session (used_at);

-- Text that a person typed but did not send. Only the same person sees it, for a limited time.
CREATE TABLE site.draft (
    id          uuid        PRIMARY KEY,
    subject_key bytea       NOT NULL,
    content     bytea       NOT NULL,
    saved_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN site.draft.content IS 'sealed: the address of the form, and its fields';
CREATE INDEX draft_subject ON site.draft (subject_key);
CREATE INDEX draft_saved ON site.draft (saved_at);

-- The applied migrations of this schema, which the site checks at its start. DISTINCT makes the view read-only: the
-- site's role may write to everything else in the schema.
CREATE VIEW site.migration AS SELECT DISTINCT owner, name, digest FROM platform.migration WHERE owner = 'site';
