-- Long work on many records, done in chunks, which goes on when its page is left (ADR 0015).

CREATE TABLE console.bulk_work (
    id          uuid PRIMARY KEY,
    subject_key bytea NOT NULL,             -- whose work it is
    content     bytea NOT NULL,             -- sealed: the deed, the records, and which could not be done and why
    total       integer NOT NULL,
    done        integer NOT NULL DEFAULT 0,
    failed      integer NOT NULL DEFAULT 0,
    begun_at    timestamptz NOT NULL DEFAULT now(),
    worked_at   timestamptz NOT NULL DEFAULT now(),
    ended_at    timestamptz
);
CREATE INDEX bulk_work_subject ON console.bulk_work (subject_key, begun_at);
CREATE INDEX bulk_work_begun ON console.bulk_work (begun_at);
