-- Own changes that the CRM is still to be told: one row per citizen, so that changes coalesce (registry document, 3.4).
-- `dirty` maps a field to the version of its last change. Lease, tries, delay and parking are the queue's alone
-- (design, section 5): `job` is the one queued job that sends this row, by its `id`, which is new with every job.
-- `given_up` tells that this job has said its last word: the next own write starts another one.
-- The log of tries holds codes, never a value.
CREATE TABLE registry.outbox (
    cpf             text        PRIMARY KEY REFERENCES registry.mirror_head,
    id              uuid        NOT NULL UNIQUE,
    dirty           jsonb       NOT NULL,
    version         bigint      NOT NULL,
    first_change_at timestamptz NOT NULL,
    job             bigint      NOT NULL UNIQUE,
    given_up        boolean     NOT NULL DEFAULT false,
    attempts_log    jsonb       NOT NULL DEFAULT '[]',
    request_id      text        NOT NULL
);

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.outbox TO balcao_app;
