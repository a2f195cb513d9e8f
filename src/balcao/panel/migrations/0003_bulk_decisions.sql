-- Decisions on many candidates, which a process carries out in parts with the token of whoever confirmed them.
CREATE TABLE console.bulk_decision (
    id          uuid PRIMARY KEY,
    subject_key bytea NOT NULL,             -- whose it is, as in console.session
    content     bytea NOT NULL,             -- sealed: what is decided, on whom, and for whom it failed
    total       integer NOT NULL,
    done        integer NOT NULL DEFAULT 0,
    failed      integer NOT NULL DEFAULT 0,
    state       text NOT NULL DEFAULT 'chosen' CHECK (state IN ('chosen', 'running', 'paused', 'stopped', 'done')),
    is_stopping boolean NOT NULL DEFAULT false,
    lease_until timestamptz,                -- one process at a time; another one goes on once it is over
    generation  integer NOT NULL DEFAULT 0, -- grows with each lease: who lost theirs writes nothing more
    chosen_at   timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz,
    seen_at     timestamptz                 -- when its person saw the result
);
CREATE INDEX bulk_decision_subject ON console.bulk_decision (subject_key, chosen_at DESC);
CREATE INDEX bulk_decision_chosen ON console.bulk_decision (chosen_at);
