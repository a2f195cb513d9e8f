-- The tables that all services share. `functions/` contains the functions of this schema.

-- Personal data: who did what to whose data, for how long it is kept, and requests that must not run twice.

-- Who did what to whose data. The services may only insert. One partition a month, so that retention drops tables.
CREATE TABLE platform.audit_event (
    id           uuid        NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    request_id   text        NOT NULL,
    operation    text        NOT NULL,
    action       text        NOT NULL CHECK (action IN
        ('create', 'read', 'update', 'delete', 'export', 'anonymise', 'push', 'event', 'denied')),
    subject_hash bytea,
    subject      text        CHECK (subject ~ '^\*{3}\.\d{3}\.\d{3}-\*{2}$'),
    actor_kind   text        NOT NULL CHECK (actor_kind IN
        ('owner', 'citizen', 'staff', 'client', 'crm', 'worker', 'operator')),
    actor_hash   bytea,
    actor_name   text,
    key_number   smallint    NOT NULL,
    client       text        NOT NULL,
    "grant"      text        NOT NULL,
    fields       text[]      NOT NULL DEFAULT '{}',
    reason       text,
    outcome      text        NOT NULL,
    seq          bigint,
    prev_hash    bytea,
    hash         bytea,
    PRIMARY KEY (at, id),
    CHECK ((seq IS NULL) = (hash IS NULL) AND (seq IS NULL) = (prev_hash IS NULL))
) PARTITION BY RANGE (at);
COMMENT ON COLUMN platform.audit_event.subject IS 'the masked CPF';
COMMENT ON COLUMN platform.audit_event.actor_kind IS 'a person without a role is a citizen';
COMMENT ON COLUMN platform.audit_event.actor_name IS 'only for staff';
COMMENT ON COLUMN platform.audit_event.key_number IS 'the key of the hashes of CPFs';
COMMENT ON COLUMN platform.audit_event.seq IS 'null until the worker has added the event to the chain';
CREATE INDEX audit_event_subject ON platform.audit_event (subject_hash, at DESC);
CREATE INDEX audit_event_actor ON platform.audit_event (actor_hash, at DESC);
CREATE INDEX audit_event_waiting ON platform.audit_event (at, id) WHERE seq IS NULL;
CREATE INDEX audit_event_seq ON platform.audit_event (seq);
CREATE INDEX audit_event_at ON platform.audit_event (at DESC, id DESC);

-- An event outside the prepared months is stored here, so that no write fails if a month was not prepared.
CREATE TABLE platform.audit_event_default PARTITION OF platform.audit_event DEFAULT;

-- Only the worker sets an event's place in the chain, through `chain_audit`.
GRANT SELECT ON platform.audit_event TO balcao_app;
GRANT INSERT (id, at, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, actor_name,
              key_number, client, "grant", fields, reason, outcome) ON platform.audit_event TO balcao_app;

-- The end of the chain of audit events: one row. Its lock prevents two workers from chaining at the same time.
CREATE TABLE platform.audit_chain (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq       bigint  NOT NULL,
    hash      bytea   NOT NULL,
    kept_from bigint  NOT NULL DEFAULT 1
);
COMMENT ON COLUMN platform.audit_chain.kept_from IS 'the first event that retention has not dropped';
INSERT INTO platform.audit_chain (seq, hash) VALUES (0, decode(repeat('00', 32), 'hex'));

-- The chain follows the order of commits, and the months follow the clock. A dropped month can therefore contain events
-- that come after an event that is retained. Their hashes stay here, so that the chain can still be verified.
CREATE TABLE platform.audit_dropped (
    seq  bigint PRIMARY KEY,
    hash bytea  NOT NULL
);
GRANT SELECT ON platform.audit_chain, platform.audit_dropped TO balcao_app;

-- What the nightly retention checked and removed: one row for each kind of data.
CREATE TABLE platform.retention_report (
    run     uuid        NOT NULL,
    kind    text        NOT NULL,
    at      timestamptz NOT NULL DEFAULT clock_timestamp(),
    checked bigint      NOT NULL,
    removed bigint      NOT NULL,
    PRIMARY KEY (run, kind)
);
CREATE INDEX retention_report_at ON platform.retention_report (at DESC);
GRANT SELECT ON platform.retention_report TO balcao_app;

-- The response to the first request with an Idempotency-Key. A repeated request gets the same response. The CPF finds
-- a person's responses, because a response can contain personal data.
CREATE TABLE platform.idempotent_answer (
    caller  bytea       NOT NULL,
    key     text        NOT NULL CHECK (char_length(key) BETWEEN 1 AND 128),
    cpf     text        CHECK (cpf ~ '^\d{11}$'),
    request bytea       NOT NULL,
    answer  bytea       NOT NULL,
    made_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (caller, key)
);
CREATE INDEX idempotent_answer_cpf ON platform.idempotent_answer (cpf);
CREATE INDEX idempotent_answer_age ON platform.idempotent_answer (made_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.idempotent_answer TO balcao_app;

-- Jobs and imports.

-- The tables of the queue belong to its library. This index serves the operator's list of dead-lettered jobs.
CREATE INDEX parked_jobs ON queue.pgqueuer (updated, id) WHERE status = 'failed';

-- The last import of each kind: its file and how far it was committed. Only the digest of the file is stored.
CREATE TABLE platform.import (
    kind         text PRIMARY KEY,
    sha256       bytea NOT NULL,
    size         bigint NOT NULL,
    source       text NOT NULL,
    byte_offset  bigint NOT NULL,
    lines        bigint NOT NULL,
    changed      bigint NOT NULL,
    unchanged    bigint NOT NULL,
    refused      bigint NOT NULL,
    skipped      bigint NOT NULL DEFAULT 0,
    started_at   timestamptz NOT NULL DEFAULT now(),
    committed_at timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz
);
COMMENT ON COLUMN platform.import.skipped IS 'blank rows: with them, the counts add up to the rows of the file';
-- Operators see the progress. They do not see `source`, because a path can contain a person's name.
GRANT SELECT (kind, size, byte_offset, lines, changed, unchanged, refused, skipped, started_at, committed_at,
              finished_at) ON platform.import TO balcao_app;

-- Access: sessions that have ended, and tickets.

-- Sessions that the identity provider has ended (OpenID Connect Back-Channel Logout), until their tokens have expired.
-- A row is one logout token. The primary key rejects its second use.
CREATE TABLE platform.ended_session (
    token_hash   bytea            PRIMARY KEY,
    key          bytea            NOT NULL,
    issued_until double precision NOT NULL,
    recorded_at  timestamptz      NOT NULL DEFAULT clock_timestamp(),
    expires_at   timestamptz      NOT NULL
);
COMMENT ON COLUMN platform.ended_session.key IS 'hash of the issuer and the session (sid), or the issuer and the person (sub)';
COMMENT ON COLUMN platform.ended_session.issued_until IS 'Unix seconds: tokens issued later belong to another login; infinity for a session';
CREATE INDEX ended_session_recorded ON platform.ended_session (recorded_at);
CREATE INDEX ended_session_age ON platform.ended_session (expires_at);
GRANT SELECT, INSERT ON platform.ended_session TO balcao_app;

-- One-use tickets. They replace a token where a client cannot send one: a browser's EventSource has no headers. The
-- table contains a ticket's hash, and only the ticket decrypts `sealed`, so a reader of the table learns neither.
CREATE TABLE platform.access_ticket (
    digest     bytea       PRIMARY KEY,
    operation  text        NOT NULL,
    sealed     text        NOT NULL,
    expires_at timestamptz NOT NULL
);
COMMENT ON COLUMN platform.access_ticket.operation IS 'the only operation that accepts the ticket';
COMMENT ON COLUMN platform.access_ticket.sealed IS 'the caller and the requested parameters, encrypted (JWE)';
CREATE INDEX access_ticket_age ON platform.access_ticket (expires_at);
-- Two sweeps of expired tickets lock the rows, which requires UPDATE.
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.access_ticket TO balcao_app;

-- The identity provider of the trial. The database stores what it granted, so that all processes know it and a restart
-- loses nothing. Cookies, codes and refresh tokens are stored only as hashes.
CREATE TABLE platform.identity_session (
    id          uuid        PRIMARY KEY,
    cookie_hash bytea       NOT NULL UNIQUE,
    username    text        NOT NULL,
    started_at  timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL
);
CREATE INDEX identity_session_age ON platform.identity_session (expires_at);

-- What one login granted to one client. It is deleted together with the session.
CREATE TABLE platform.identity_grant (
    id         uuid PRIMARY KEY,
    session_id uuid NOT NULL REFERENCES platform.identity_session ON DELETE CASCADE,
    client     text NOT NULL,
    scope      text NOT NULL,
    nonce      text
);
CREATE INDEX identity_grant_session ON platform.identity_grant (session_id);

-- Authorization codes and refresh tokens. A used one stays until its grant is deleted, so that a second use is noticed.
-- Only a code has a redirect URI. A confidential client may omit the challenge.
CREATE TABLE platform.identity_credential (
    hash         bytea       PRIMARY KEY,
    grant_id     uuid        NOT NULL REFERENCES platform.identity_grant ON DELETE CASCADE,
    redirect_uri text,
    challenge    text,
    expires_at   timestamptz NOT NULL,
    used_at      timestamptz,
    CONSTRAINT identity_credential_kind CHECK (challenge IS NULL OR redirect_uri IS NOT NULL)
);
CREATE INDEX identity_credential_grant ON platform.identity_credential (grant_id);

-- The clients that developers created for themselves, in the trial.
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
COMMENT ON COLUMN platform.identity_client.owner IS 'the username of the demo person who created it';
CREATE INDEX identity_client_owner ON platform.identity_client (owner, created_at);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON platform.identity_session, platform.identity_grant, platform.identity_credential, platform.identity_client
    TO balcao_app;

-- Operation: what runs, what operators changed and announced, and how calls were answered.

-- The processes that are running, on all machines. A process updates its row every few seconds and deletes it when it
-- stops. The row of a killed process becomes stale.
CREATE TABLE platform.process (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL,
    host       text        NOT NULL,
    version    text        NOT NULL,
    services   text[]      NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN platform.process.name IS 'role and number, as in logs and metrics: `api-0`';
COMMENT ON COLUMN platform.process.services IS 'the services that it serves; empty for a worker, which runs the jobs of all';
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.process TO balcao_app;

-- What operators change while the platform runs: services in maintenance (the value is the sentence for callers) and
-- rates (the value is the current rate). Every process has a copy of these few rows.
CREATE TABLE platform.live_change (
    kind       text        NOT NULL CHECK (kind IN ('maintenance', 'rate')),
    name       text        NOT NULL,
    value      text        NOT NULL CHECK (value <> ''),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    begins_at  timestamptz,
    ends_at    timestamptz,
    author     text        NOT NULL,
    PRIMARY KEY (kind, name)
);
COMMENT ON COLUMN platform.live_change.name IS 'a service, or a limit with its name in `balcao limits show`';
COMMENT ON COLUMN platform.live_change.begins_at IS 'the start of an announced maintenance; null for a change that took effect immediately';
COMMENT ON COLUMN platform.live_change.author IS 'login and machine of the operator';
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.live_change TO balcao_app;

-- Incidents and their notes, oldest first. The public status page shows both, without the authors.
CREATE TABLE platform.incident (
    number      bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    title       text        NOT NULL CHECK (title <> ''),
    services    text[]      NOT NULL CHECK (cardinality(services) > 0),
    severity    text        NOT NULL CHECK (severity IN ('degraded', 'down')),
    opened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at timestamptz CHECK (resolved_at >= opened_at)
);
CREATE INDEX incident_age ON platform.incident (opened_at);

CREATE TABLE platform.incident_note (
    incident   bigint      NOT NULL REFERENCES platform.incident ON DELETE CASCADE,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    words      text        NOT NULL CHECK (words <> ''),
    author     text        NOT NULL,
    PRIMARY KEY (incident, written_at)
);
COMMENT ON COLUMN platform.incident_note.author IS 'login and machine of the operator';
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.incident, platform.incident_note TO balcao_app;

-- How each service answered: every five minutes for a week, and every day for a year. Processes add their counts every
-- few seconds. No row identifies a caller.
CREATE TABLE platform.response_count (
    span      text             NOT NULL CHECK (span IN ('5m', 'day')),
    starts_at timestamptz      NOT NULL,
    service   text             NOT NULL,
    responses bigint           NOT NULL,
    refusals  bigint           NOT NULL,
    faults    bigint           NOT NULL,
    slow      bigint           NOT NULL,
    seconds   double precision NOT NULL,
    times     bigint[],
    PRIMARY KEY (span, starts_at, service)
);
COMMENT ON COLUMN platform.response_count.starts_at IS 'for a day, its midnight in the time zone of the city';
COMMENT ON COLUMN platform.response_count.service IS 'the name in the metrics';
COMMENT ON COLUMN platform.response_count.refusals IS 'responses with a status from 400 to 499';
COMMENT ON COLUMN platform.response_count.faults IS 'responses with a status from 500';
COMMENT ON COLUMN platform.response_count.slow IS 'responses that took more than half a second';
COMMENT ON COLUMN platform.response_count.seconds IS 'the total time of the responses';
COMMENT ON COLUMN platform.response_count.times IS
    'a histogram: responses within 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 10000 ms, each beyond the previous bound, and the rest';
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.response_count TO balcao_app;

-- The last calls of each client, for its developers: the operation and the result, without the content. Rows are
-- written in batches and kept for a week, at most a thousand for each client.
CREATE TABLE platform.call (
    issuer       text        NOT NULL,
    client       text        NOT NULL,
    called_at    timestamptz NOT NULL,
    operation    text        NOT NULL,
    status       smallint    NOT NULL,
    code         text,
    request_id   text        NOT NULL,
    microseconds integer     NOT NULL
);
COMMENT ON COLUMN platform.call.code IS 'the Error-Code; for a rejected token, the check that failed';
CREATE INDEX call_of_client ON platform.call (issuer, client, called_at DESC);
CREATE INDEX call_age ON platform.call (called_at);
-- Two processes that delete old rows lock them, which requires UPDATE.
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.call TO balcao_app;

-- When the server was last copied, and when its log last reached the copies. The machine that makes the copies writes
-- these rows. `balcao doctor` and the metrics of the other machines read them.
CREATE TABLE platform.backup (
    kind       text PRIMARY KEY CHECK (kind IN ('copy', 'log')),
    noted_at   timestamptz NOT NULL,
    free_bytes bigint NOT NULL
);
-- `balcao backup restore` deletes the rows: a restored database does not know the copies that were made after it.
GRANT SELECT, INSERT, UPDATE, DELETE ON platform.backup TO balcao_app;
