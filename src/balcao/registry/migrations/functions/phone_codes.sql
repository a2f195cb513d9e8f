-- Codes that prove a phone number (rules: registry 4.7). The functions are volatile: see `own_writes.sql`.

-- Return how many seconds to wait until another code may be sent to this person and number. Zero or less means that it
-- may be sent now. The arrays are the hashes of the person, of the number and of both together, each under every key.
--
-- Lock order: calls about the same person or number wait for each other here, so that the limits are exact. The locks
-- are taken in the order of their keys, so that two calls never deadlock.
CREATE OR REPLACE FUNCTION registry.hold_phone_codes(
    person text, asked text, citizens bytea[], numbers bytea[], pairs bytea[]
) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- If the number is in the person's own record, the codes that other people requested do not block them.
    others bytea[] := CASE WHEN registry.is_phone_own(asked, person) THEN '{}' ELSE numbers END;
BEGIN
    PERFORM pg_advisory_xact_lock(name) FROM (
        SELECT hashtextextended(encode(hashed, 'hex'), 0) AS name FROM unnest(citizens || numbers) AS hashed ORDER BY 1
    ) AS ordered;
    -- For example, the fifth newest code of a person must be an hour old. A number may get twice as many codes in an
    -- hour as one person may request, so that one person cannot block it.
    RETURN (
        SELECT coalesce(ceil(extract(epoch FROM max(nth.sent_at + bound.span) - clock_timestamp())), 0)::int
        FROM (VALUES
            (citizens, 1, interval '1 minute'), (citizens, 5, interval '1 hour'), (citizens, 20, interval '1 day'),
            (others, 1, interval '1 minute'), (others, 10, interval '1 hour'), (others, 20, interval '1 day'),
            (pairs, 5, interval '1 day')
        ) AS bound (who, most, span)
        CROSS JOIN LATERAL unnest(bound.who) AS counted (hashed)
        CROSS JOIN LATERAL (
            SELECT sent_at FROM registry.phone_code_sent AS sent
            WHERE sent.counted = counted.hashed ORDER BY sent_at DESC OFFSET bound.most - 1 LIMIT 1) AS nth);
END $$;

-- Use a verification, and return whether it could be used: of several concurrent calls only one gets true. Number and
-- code are deleted.
--
-- The number is bound to the person from that moment, whoever had it before. Consent does not pass to another person.
CREATE OR REPLACE FUNCTION registry.use_phone_verification(person text, verification uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    proven text;
BEGIN
    -- The phone book has every Brazilian mobile number with its ninth digit.
    SELECT regexp_replace(ddi || ddd || valor, '^(55[1-9]\d)([6-9]\d{7})$', '\19\2') INTO proven
    FROM registry.phone_verification
    WHERE cpf = person AND id = verification AND used_at IS NULL AND expires_at > clock_timestamp() FOR UPDATE;
    IF proven IS NULL THEN
        RETURN false;
    END IF;
    UPDATE registry.phone_verification
    SET used_at = clock_timestamp(), ddi = NULL, ddd = NULL, valor = NULL, sealed_code = NULL
    WHERE cpf = person AND id = verification;
    INSERT INTO registry.phone_book AS held (number, cpf, proof, bound_at, version)
    VALUES (proven, person, 'code', clock_timestamp(), gen_random_uuid())
    ON CONFLICT (number) DO UPDATE SET
        cpf = excluded.cpf, proof = excluded.proof, version = excluded.version,
        opt_in = held.cpf IS NOT DISTINCT FROM excluded.cpf AND held.opt_in,
        channel = CASE WHEN held.cpf = excluded.cpf THEN held.channel END,
        bound_at = CASE WHEN held.cpf = excluded.cpf THEN held.bound_at ELSE excluded.bound_at END,
        quarantined_at = NULL, quarantine_until = NULL, was_bound = false;
    RETURN true;
END $$;
