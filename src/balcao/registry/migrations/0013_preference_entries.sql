-- Appends entries to a citizen's ledger of preferences, behind its entry `behind` (0 for none); false when that is not the
-- last one. Whoever changes preferences does so in the same statement and only when this is true: every change that is
-- one leaves an entry, so what was read with the ledger ending there is what still stands.
--
-- A volatile function, because the end of the ledger is to be read as it is once the lock is held (see 0012).
CREATE FUNCTION registry.append_preference_entries(person text, behind int, entries jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    -- There is no row to lock before the first change.
    PERFORM pg_advisory_xact_lock(hashtextextended('registry.preferences:' || person, 0));
    IF behind <> coalesce((SELECT max(seq) FROM registry.preference_ledger WHERE cpf = person), 0) THEN
        RETURN false;
    END IF;
    INSERT INTO registry.preference_ledger (
        id, cpf, timestamp, action, scope, category, channel, reason, old_value, new_value, actor_kind, azp, request_id,
        seq, prev_hash, hash)
    SELECT id, person, timestamp, action, scope, category, channel, reason, old_value, new_value, actor_kind, azp,
        request_id, seq, prev_hash, hash
    FROM jsonb_to_recordset(entries) AS entry (
        id uuid, timestamp timestamptz, action text, scope text, category text, channel text, reason text,
        old_value boolean, new_value boolean, actor_kind text, azp text, request_id text, seq int, prev_hash bytea,
        hash bytea);
    RETURN true;
END $$;
