-- A chain over the committed audit events. The worker adds events in batches, so no request waits for it. Each event is
-- hashed together with the hash of the previous one, so a later change or removal breaks the chain at that event.

-- Events without a name of the actor have the hash that they had before names were stored.
CREATE OR REPLACE FUNCTION platform.audit_hash(event platform.audit_event) RETURNS bytea LANGUAGE sql STABLE AS $$
    SELECT sha256(event.prev_hash || convert_to((jsonb_build_array(
        event.seq, event.id, to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), event.request_id,
        event.operation, event.action, encode(event.subject_hash, 'hex'), event.subject, event.actor_kind,
        encode(event.actor_hash, 'hex'), event.key_number, event.client, event."grant", event.fields, event.reason,
        event.outcome) || CASE WHEN event.actor_name IS NULL THEN '[]' ELSE jsonb_build_array(event.actor_name) END)::text, 'UTF8'))
$$;

-- Add at most `most` events to the chain, and return how many were added.
CREATE OR REPLACE FUNCTION platform.chain_audit(most int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    last    platform.audit_chain;
    event   platform.audit_event;
    chained int := 0;
BEGIN
    SELECT * INTO STRICT last FROM platform.audit_chain FOR UPDATE;
    FOR event IN
        SELECT * FROM platform.audit_event WHERE audit_event.seq IS NULL ORDER BY audit_event.at, audit_event.id
        LIMIT most
    LOOP
        last.seq := last.seq + 1;
        event.seq := last.seq;
        event.prev_hash := last.hash;
        last.hash := platform.audit_hash(event);
        UPDATE platform.audit_event SET seq = last.seq, prev_hash = event.prev_hash, hash = last.hash
        WHERE audit_event.at = event.at AND audit_event.id = event.id;
        chained := chained + 1;
    END LOOP;
    UPDATE platform.audit_chain SET seq = last.seq, hash = last.hash;
    RETURN chained;
END $$;
REVOKE ALL ON FUNCTION platform.chain_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION platform.chain_audit TO balcao_app;
