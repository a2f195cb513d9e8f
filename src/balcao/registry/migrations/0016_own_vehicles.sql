-- See 0012 for why these are volatile functions: what they read must be as it is under the locks that they take.

-- How many live vehicles a person has, once nobody else can register one of theirs until the transaction ends. There is
-- no row of the owner to lock before the first vehicle.
CREATE FUNCTION registry.hold_own_vehicles(person text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('vehicles of ' || person, 0));
    RETURN (SELECT count(*) FROM registry.vehicle WHERE owner_cpf = person AND deleted_at IS NULL);
END $$;

-- When a live vehicle was last changed, and its open links in the order of their ids; no row for any other vehicle.
-- Until the transaction ends nobody changes either, and nobody invites another driver, who would lock the vehicle. The
-- vehicle before its links, and those in the order of their ids, like everybody who locks several: nobody waits in a
-- circle. Who answers an invitation at this moment is waited for, and what they left is what is read.
CREATE FUNCTION registry.hold_vehicle(held uuid) RETURNS TABLE (changed_at timestamptz, links uuid[])
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
