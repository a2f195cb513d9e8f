-- How many pets of their own a person has, once nobody else can add one until the transaction ends. A volatile function,
-- because they are to be counted as they are under the lock (see 0012).
CREATE FUNCTION registry.hold_own_pets(person text) RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('registry.own_pet ' || person, 0));
    RETURN (SELECT count(*) FROM registry.own_pet WHERE cpf = person);
END $$;
