-- The tables of the panel: the sessions of staff, and the work in their pages (ADR 0015). Only the panel's own role can
-- use this schema, and it can use no other one. `session` and `draft` have the columns of the site's tables, because
-- both share their code.
--
-- Content is encrypted ("sealed"): only the panel has the key, so the tables reveal no name, CPF or token.

CREATE SCHEMA panel;

-- A session that has ended stays for a while, so that text typed in it can still be stored.
CREATE TABLE panel.session (
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
COMMENT ON COLUMN panel.session.key IS 'SHA-256 of the cookie, which is not stored';
COMMENT ON COLUMN panel.session.subject_key IS 'SHA-256 of issuer and subject: the person';
COMMENT ON COLUMN panel.session.provider_key IS 'SHA-256 of issuer and the session at the identity provider (sid)';
COMMENT ON COLUMN panel.session.identity IS 'sealed: the person, and the secret of the forms';
COMMENT ON COLUMN panel.session.tokens IS 'sealed; null after the end of the session';
COMMENT ON COLUMN panel.session.notice IS 'sealed: shown once, by the next page';
COMMENT ON COLUMN panel.session.counts IS 'sealed: how many items wait for the person, for the navigation';
COMMENT ON COLUMN panel.session.actions IS
    'sealed: the actions that the person had at the last page. After the session they decide whose text is stored';
COMMENT ON COLUMN panel.session.generation IS 'grows with each refresh of the tokens';
COMMENT ON COLUMN panel.session.refreshing_until IS 'a lease, so that only one process refreshes the tokens at a time';
CREATE INDEX session_subject ON panel.session (subject_key);
CREATE INDEX session_provider ON panel.session (provider_key) WHERE provider_key IS NOT NULL;
CREATE INDEX session_used ON panel.session (used_at);

-- Text that a person typed but did not send. Only the same person sees it, for a limited time.
CREATE TABLE panel.draft (
    id          uuid        PRIMARY KEY,
    subject_key bytea       NOT NULL,
    content     bytea       NOT NULL,
    saved_at    timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN panel.draft.content IS 'sealed: the address of the form, and its fields';
CREATE INDEX draft_subject ON panel.draft (subject_key);
CREATE INDEX draft_saved ON panel.draft (saved_at);

-- Each opening of a form whose typed text is stored as a draft. Text that arrives after the form was sent is not
-- stored: a draft is written under the lock of this row.
CREATE TABLE panel.form_opening (
    id         uuid        PRIMARY KEY,
    is_over    boolean     NOT NULL,
    touched_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX form_opening_touched ON panel.form_opening (touched_at);

-- The people who have a form open that several people may edit. A row counts for two minutes after the page's last
-- sign.
CREATE TABLE panel.presence (
    place       bytea       NOT NULL,
    subject_key bytea       NOT NULL,
    name        bytea       NOT NULL,
    seen_at     timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (place, subject_key)
);
COMMENT ON COLUMN panel.presence.place IS 'SHA-256 of the address of the form';
COMMENT ON COLUMN panel.presence.name IS 'sealed: shown to the others who have the form open';
CREATE INDEX presence_seen ON panel.presence (seen_at);

-- The people whom a member of staff is serving. Addresses of pages contain the number instead of a CPF. A row belongs
-- to a session, and is deleted with it.
CREATE TABLE panel.attendance (
    number      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    session_key bytea       NOT NULL REFERENCES panel.session (key) ON DELETE CASCADE,
    content     bytea       NOT NULL,
    used_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN panel.attendance.content IS 'sealed: the CPF of the person, and the reason';
CREATE INDEX attendance_session ON panel.attendance (session_key);

-- Decisions on many candidates. A process carries them out in parts, with the token of the person who confirmed them.
CREATE TABLE panel.bulk_decision (
    id          uuid        PRIMARY KEY,
    subject_key bytea       NOT NULL,
    content     bytea       NOT NULL,
    total       integer     NOT NULL,
    done        integer     NOT NULL DEFAULT 0,
    failed      integer     NOT NULL DEFAULT 0,
    state       text        NOT NULL DEFAULT 'chosen' CHECK (state IN ('chosen', 'running', 'paused', 'stopped', 'done')),
    is_stopping boolean     NOT NULL DEFAULT false,
    lease_until timestamptz,
    generation  integer     NOT NULL DEFAULT 0,
    chosen_at   timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    seen_at     timestamptz
);
COMMENT ON COLUMN panel.bulk_decision.content IS 'sealed: the decision, the candidates, and those for whom it failed';
COMMENT ON COLUMN panel.bulk_decision.lease_until IS 'one process at a time; after the lease, another one continues';
COMMENT ON COLUMN panel.bulk_decision.generation IS 'grows with each lease: a process that lost its lease can write no more';
COMMENT ON COLUMN panel.bulk_decision.seen_at IS 'when the person saw the result';
CREATE INDEX bulk_decision_subject ON panel.bulk_decision (subject_key, chosen_at DESC);
CREATE INDEX bulk_decision_chosen ON panel.bulk_decision (chosen_at);

-- The applied migrations of this schema, which the panel checks at its start. DISTINCT makes the view read-only: the
-- panel's role may write to everything else in the schema.
CREATE VIEW panel.migration AS SELECT DISTINCT owner, name, digest FROM platform.migration WHERE owner = 'panel';
