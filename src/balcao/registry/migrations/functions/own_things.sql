-- Limits on the things of a person. Each `hold_own` function waits for other calls of the same person and counts under
-- the lock, so that the limit is exact. Before the first thing there is no row to lock, so the locks are advisory. The
-- functions are volatile: see `own_writes.sql`.

-- Return the number and the total size of a person's files. No other call can add one until the transaction ends.
CREATE OR REPLACE FUNCTION registry.hold_own_files(person text, OUT files bigint, OUT bytes bigint)
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('registry.citizen_file ' || person, 0));
    SELECT count(*), coalesce(sum(size), 0) INTO files, bytes FROM registry.citizen_file WHERE cpf = person;
END $$;

-- Return the number of pets that a person added. No other call can add one until the transaction ends.
CREATE OR REPLACE FUNCTION registry.hold_own_pets(person text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('registry.own_pet ' || person, 0));
    RETURN (SELECT count(*) FROM registry.own_pet WHERE cpf = person);
END $$;

-- Return the number of a person's vehicles that are not deleted. No other call can register one until the transaction
-- ends.
CREATE OR REPLACE FUNCTION registry.hold_own_vehicles(person text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('vehicles of ' || person, 0));
    RETURN (SELECT count(*) FROM registry.vehicle WHERE owner_cpf = person AND deleted_at IS NULL);
END $$;

-- Lock a vehicle and its open links until the transaction ends. Return when the vehicle was last changed, and the ids
-- of the links in order. Return no row if the vehicle is deleted or unknown. Invitations lock the vehicle too, so the
-- links are complete.
--
-- Lock order: the vehicle, then its links in the order of their ids, as in all code that locks several of them.
CREATE OR REPLACE FUNCTION registry.hold_vehicle(held uuid) RETURNS TABLE (changed_at timestamptz, links uuid[])
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    SELECT updated_at INTO changed_at FROM registry.vehicle WHERE id = held AND deleted_at IS NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT coalesce(array_agg(id ORDER BY id), '{}') INTO links FROM (
        SELECT id FROM registry.vehicle_conductor
        WHERE vehicle_id = held AND status IN ('pending', 'accepted') ORDER BY id FOR UPDATE) AS locked;
    RETURN NEXT;
END $$;
