-- Who did what to whose data. Append-only for the services; monthly partitions, so that retention drops tables.
CREATE TABLE platform.audit_event (
    id           uuid        NOT NULL,
    at           timestamptz NOT NULL DEFAULT clock_timestamp(),
    request_id   text        NOT NULL,
    operation    text        NOT NULL,
    action       text        NOT NULL CHECK (action IN
        ('create', 'read', 'update', 'delete', 'export', 'anonymise', 'push', 'event', 'denied')),
    subject_hash bytea,
    subject      text        CHECK (subject ~ '^\*{3}\.\d{3}\.\d{3}-\*{2}$'),
    actor_kind   text        NOT NULL CHECK (actor_kind IN ('owner', 'staff', 'client', 'crm', 'worker', 'operator')),
    actor_hash   bytea,
    key_number   smallint    NOT NULL,
    client       text        NOT NULL,
    "grant"      text        NOT NULL,
    fields       text[]      NOT NULL DEFAULT '{}',
    reason       text,
    outcome      text        NOT NULL,
    PRIMARY KEY (at, id)
) PARTITION BY RANGE (at);

CREATE INDEX audit_event_subject ON platform.audit_event (subject_hash, at DESC);
CREATE INDEX audit_event_actor ON platform.audit_event (actor_hash, at DESC);

-- Rows outside the prepared months land here, so that a forgotten month never fails a write.
CREATE TABLE platform.audit_event_default PARTITION OF platform.audit_event DEFAULT;

CREATE FUNCTION platform.prepare_audit_months(months int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    month date := date_trunc('month', now())::date;
BEGIN
    FOR step IN 0..months LOOP
        EXECUTE format(
            'CREATE TABLE IF NOT EXISTS platform.audit_event_%s PARTITION OF platform.audit_event'
            ' FOR VALUES FROM (%L) TO (%L)',
            to_char(month, 'YYYY_MM'), month, month + interval '1 month');
        month := month + interval '1 month';
    END LOOP;
END $$;

SELECT platform.prepare_audit_months(24);

GRANT INSERT, SELECT ON platform.audit_event TO balcao_app;
