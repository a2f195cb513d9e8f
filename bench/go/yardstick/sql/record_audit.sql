INSERT INTO platform.audit_event
    (id, request_id, operation, action, subject_hash, subject, actor_kind, actor_hash, key_number,
     client, "grant", fields, reason, outcome)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
