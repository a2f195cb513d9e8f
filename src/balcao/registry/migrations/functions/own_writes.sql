-- The start of an own write: lock the person's mirror, and decide the time of the write.
--
-- Snapshot: an own write is one statement. A statement sees only what was committed before it started, which may be
-- before it waited for the lock. The queries of a volatile function also see what was committed until they start. So
-- whatever must be current under a lock is read by a volatile function. The other functions with `hold_` in their names
-- work in the same way.

-- Lock the mirror and the row of the outbox until the transaction ends. Return no row if `expected` is not the mirror's
-- version. A null `expected` matches every version.
--
-- `moment` is the time of the write. It is later than the tombstone and than everything that was declared or confirmed
-- for these fields, so that the write wins.
--
-- `job` is the job that sends the fields that are already dirty, or null if there is none. `lost_job` is a job that
-- will never send them, because it has given up or is no longer in the queue.
CREATE OR REPLACE FUNCTION registry.hold_mirror(person text, registers text[], expected bigint)
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
    -- Lock the row too: dropping a dead-lettered job deletes it without locking the mirror.
    SELECT * INTO marked FROM registry.outbox WHERE cpf = person FOR UPDATE;
    RETURN QUERY SELECT
        greatest(
            clock_timestamp(),
            head.anonymised_at + interval '1 microsecond',
            (SELECT max(greatest(at, confirmed_at)) FROM registry.register
             WHERE cpf = person AND field = ANY (registers)) + interval '1 microsecond'),
        CASE WHEN is_sent THEN marked.job END,
        CASE WHEN NOT is_sent THEN marked.job END
    FROM (SELECT NOT marked.given_up AND platform.job_is_queued(marked.job)) AS sending (is_sent);
END $$;

-- Lock the mirror until the transaction ends, and return the time of an own write of this consent. It is later than
-- everything that could hide or replace the consent, so callers see the consent that they have set.
CREATE OR REPLACE FUNCTION registry.hold_consent(person text, of_categoria text, of_canal text) RETURNS timestamptz
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    head registry.mirror_head;
BEGIN
    INSERT INTO registry.mirror_head AS held (cpf, version) VALUES (person, 1)
    ON CONFLICT (cpf) DO UPDATE SET version = held.version + 1
    RETURNING * INTO head;
    RETURN greatest(
        clock_timestamp(), head.anonymised_at + interval '1 microsecond',
        head.consents_cleared_at + interval '1 microsecond',
        (SELECT at FROM registry.crm_consentimentos
         WHERE cpf = person AND categoria = of_categoria AND canal = of_canal) + interval '1 microsecond');
END $$;
