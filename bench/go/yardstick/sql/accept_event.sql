WITH kept AS (
    INSERT INTO registry.crm_event (id, cpf, evento, event_at, dados, dados_sha256, has_updated_at, azp, request_id)
    VALUES ($1, $2, $3, coalesce($4::timestamptz, now()), $5::jsonb, $6, $4 IS NOT NULL, $7, $8)
    ON CONFLICT (cpf, evento, event_at, dados_sha256) WHERE has_updated_at DO NOTHING
    RETURNING id
), job AS (
    INSERT INTO queue.pgqueuer (priority, entrypoint, payload, headers, status)
    SELECT 0, 'crm_event', convert_to('{"event":"' || id || '"}', 'UTF8'), '{}', 'queued' FROM kept
    RETURNING id, entrypoint, priority
), logged AS (
    INSERT INTO queue.pgqueuer_log (job_id, status, entrypoint, priority)
    SELECT id, 'queued', entrypoint, priority FROM job
)
INSERT INTO platform.audit_event
    (id, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, key_number,
     client, "grant", fields, reason, outcome)
SELECT $9, $8, 'registry.receive_crm_event', 'event', $10, $11, 'client', NULL, 1, $7, $12, $13, NULL, 'done' FROM kept
