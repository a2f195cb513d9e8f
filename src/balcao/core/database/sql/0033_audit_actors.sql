-- A person who acts by no role is a citizen, and an event of staff has the name of the member of staff.
ALTER TABLE platform.audit_event
    ADD COLUMN actor_name text,
    DROP CONSTRAINT audit_event_actor_kind_check,
    ADD CONSTRAINT audit_event_actor_kind_check
        CHECK (actor_kind IN ('owner', 'citizen', 'staff', 'client', 'crm', 'worker', 'operator')) NOT VALID;
GRANT INSERT (actor_name) ON platform.audit_event TO balcao_app;

-- Events without a name keep the hash that they have.
CREATE OR REPLACE FUNCTION platform.audit_hash(event platform.audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(event.prev_hash || convert_to((jsonb_build_array(
        event.seq, event.id, to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), event.request_id,
        event.operation, event.action, encode(event.subject_hash, 'hex'), event.subject, event.actor_kind,
        encode(event.actor_hash, 'hex'), event.key_number, event.client, event."grant", event.fields, event.reason,
        event.outcome) || CASE WHEN event.actor_name IS NULL THEN '[]' ELSE jsonb_build_array(event.actor_name) END)::text, 'UTF8'))
$$;
