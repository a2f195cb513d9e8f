-- See 0012 for why this is a volatile function: what it reads must be as it is under the lock that it takes.

-- Locks the mirror until the transaction ends; the time of an own write of this consent. It is later than what could
-- hide the consent or stands in its place, so that what the citizen was told is what is shown.
CREATE FUNCTION registry.hold_consent(person text, of_categoria text, of_canal text) RETURNS timestamptz
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
