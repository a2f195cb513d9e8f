-- An own write is one statement. What it must see as it is once nobody else can change it comes from a function: the
-- queries of a volatile function see what was committed until they begin, the rest of a statement only what was
-- committed before it began, which may be before it waited for the lock.

-- Counts the transactions that held the mirror to change it. Whoever has read the mirror and finds the same version
-- under the lock knows that nothing of it has changed in between.
ALTER TABLE registry.mirror_head ADD COLUMN version bigint NOT NULL DEFAULT 0;

-- Locks the mirror and the outbox's row until the transaction ends; no row when `expected` is not the mirror's version.
-- `moment` is later than everything already applied to these registers, and than the tombstone. `job` sends what is
-- marked already; null when nothing is marked or nobody will send it any more.
CREATE FUNCTION registry.hold_mirror(person text, registers text[], expected bigint)
RETURNS TABLE (moment timestamptz, job bigint, lost_job bigint) LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    head   registry.mirror_head;
    marked registry.outbox;
BEGIN
    INSERT INTO registry.mirror_head AS held (cpf, version) VALUES (person, 1)
    ON CONFLICT (cpf) DO UPDATE SET version = held.version + 1 WHERE held.version = coalesce(expected, held.version)
    RETURNING * INTO head;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    -- Locked, because an operator who drops a dead job does not lock the mirror.
    SELECT * INTO marked FROM registry.outbox WHERE cpf = person FOR UPDATE;
    RETURN QUERY SELECT
        greatest(
            clock_timestamp(),
            head.anonymised_at + interval '1 microsecond',
            (SELECT max(at) FROM registry.register WHERE cpf = person AND field = ANY (registers))
                + interval '1 microsecond'),
        CASE WHEN is_sent THEN marked.job END,
        CASE WHEN NOT is_sent THEN marked.job END
    FROM (SELECT NOT marked.given_up AND platform.job_is_queued(marked.job)) AS sending (is_sent);
END $$;
