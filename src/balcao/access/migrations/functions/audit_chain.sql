-- The hash chain of the audit trail (rules: access 3.4). `balcao.access.catalogue.chain` computes the same hashes in
-- Python.

-- Return JSON with sorted keys and without whitespace, so that every server hashes the same text. Only members that
-- contain others are written by a call of their own: a call for each member would be most of the cost of an event,
-- which is hashed while the catalogue is locked.
CREATE OR REPLACE FUNCTION access.canonical(document jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE jsonb_typeof(document)
        WHEN 'object' THEN '{' || coalesce((
            SELECT string_agg(
                to_json(member.key)::text || ':' || CASE
                    WHEN jsonb_typeof(member.value) IN ('object', 'array') THEN access.canonical(member.value)
                    ELSE member.value::text END, ','
                ORDER BY member.key COLLATE "C")
            FROM jsonb_each(document) AS member), '') || '}'
        WHEN 'array' THEN '[' || coalesce((
            SELECT string_agg(CASE
                    WHEN jsonb_typeof(item.value) IN ('object', 'array') THEN access.canonical(item.value)
                    ELSE item.value::text END, ',' ORDER BY item.ordinality)
            FROM jsonb_array_elements(document) WITH ORDINALITY AS item), '') || ']'
        ELSE document::text
    END
$$;

-- Return what the hash of an event covers: every member except the hash.
CREATE OR REPLACE FUNCTION access.chained(event access.audit_event) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'seq', event.seq,
        'at', to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'actor', event.actor, 'operation', event.operation,
        'target_type', event.target_type, 'target_id', event.target_id, 'target_name', event.target_name,
        'subject', event.subject, 'before', event.before, 'after', event.after, 'outcome', event.outcome,
        'request_id', event.request_id, 'catalogue_version', event.catalogue_version, 'prev_hash', event.prev_hash)
$$;

CREATE OR REPLACE FUNCTION access.chain_hash(event access.audit_event) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(event.prev_hash || access.canonical(access.chained(event)), 'UTF8')), 'hex')
$$;

-- Increase the version by one, append the events to the chain, and return the new version.
--
-- Lock: `raise_version` runs first and locks the catalogue. The last event is read after that, so it remains the last.
CREATE OR REPLACE FUNCTION access.record_changes(events jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    raised bigint := access.raise_version();
    event  access.audit_event;
    last   access.audit_event;
    given  jsonb;
BEGIN
    SELECT * INTO last FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1;
    FOR given IN SELECT value FROM jsonb_array_elements(events) WITH ORDINALITY ORDER BY ordinality LOOP
        event := jsonb_populate_record(NULL::access.audit_event, given);
        event.seq := coalesce(last.seq, 0) + 1;
        event.at := clock_timestamp();
        event.outcome := 'done';
        event.catalogue_version := raised;
        event.prev_hash := coalesce(last.hash, repeat('0', 64));
        event.hash := access.chain_hash(event);
        INSERT INTO access.audit_event (seq, at, actor, operation, target_type, target_id, target_name, subject,
                                        before, after, outcome, request_id, catalogue_version, prev_hash, hash)
        VALUES (event.seq, event.at, event.actor, event.operation, event.target_type, event.target_id,
                event.target_name, event.subject, event.before, event.after, event.outcome, event.request_id,
                event.catalogue_version, event.prev_hash, event.hash);
        last := event;
    END LOOP;
    RETURN raised;
END $$;

-- Append several changes that share a commit, each with a version of its own. Return the versions in the same order.
CREATE OR REPLACE FUNCTION access.record_each(events jsonb) RETURNS bigint[] LANGUAGE plpgsql AS $$
DECLARE
    versions bigint[] := '{}';
    given    jsonb;
BEGIN
    FOR given IN SELECT value FROM jsonb_array_elements(events) WITH ORDINALITY ORDER BY ordinality LOOP
        versions := versions || access.record_changes(jsonb_build_array(given));
    END LOOP;
    RETURN versions;
END $$;

GRANT EXECUTE ON FUNCTION access.canonical, access.chained, access.chain_hash, access.record_changes, access.record_each
    TO balcao_app;
