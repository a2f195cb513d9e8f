-- Changes of preferences (rules: registry 4.7).

-- Append entries to a person's ledger after the entry number `behind`, or after none if it is 0. Return false, without
-- appending, if that is not the last entry.
--
-- Every change of preferences calls this in its own statement, and writes only if the result is true. Every change
-- leaves an entry, so preferences that were read while the ledger ended with `behind` are still current.
--
-- It is volatile: see `own_writes.sql`.
CREATE OR REPLACE FUNCTION registry.append_preference_entries(person text, behind int, entries jsonb) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    -- Before the first change there is no row to lock.
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
