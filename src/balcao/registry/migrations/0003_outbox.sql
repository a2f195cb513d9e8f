-- Own changes that the CRM is still to be told: one row per citizen, so that changes coalesce (registry document, 3.4).
-- `dirty` maps a field to the version of its last change. The log of tries holds codes, never a value.
CREATE TABLE registry.outbox (
    cpf             text        PRIMARY KEY REFERENCES registry.mirror_head,
    id              uuid        NOT NULL UNIQUE,
    dirty           jsonb       NOT NULL,
    version         bigint      NOT NULL,
    state           text        NOT NULL CHECK (state IN ('queued', 'running', 'dead')),
    attempts        int         NOT NULL DEFAULT 0,
    first_change_at timestamptz NOT NULL,
    next_attempt_at timestamptz NOT NULL,
    lease_until     timestamptz,
    first_failed_at timestamptz,
    last_failed_at  timestamptz,
    last_status     int,
    last_error_code text,
    attempts_log    jsonb       NOT NULL DEFAULT '[]',
    dead_at         timestamptz,
    request_id      text        NOT NULL,
    CHECK ((state = 'running') = (lease_until IS NOT NULL)),
    CHECK ((state = 'dead') = (dead_at IS NOT NULL))
);
CREATE INDEX outbox_due ON registry.outbox (next_attempt_at) WHERE state = 'queued';
CREATE INDEX outbox_leased ON registry.outbox (lease_until) WHERE state = 'running';
CREATE INDEX outbox_dead ON registry.outbox (dead_at, id) WHERE state = 'dead';

GRANT SELECT, INSERT, UPDATE, DELETE ON registry.outbox TO balcao_app;
