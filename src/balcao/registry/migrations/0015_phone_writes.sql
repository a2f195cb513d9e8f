-- See 0012 for why these are volatile functions: what they read must be as it is under the locks that they take.

-- How many seconds to wait until another code may be sent to this citizen and number; 0 or less when it may be now.
-- Whoever asks for a code waits here for another call about the same citizen or number, so that the limits are exact;
-- always in the same order, so that two calls never wait for each other. The newest code must be a minute old, the
-- fifth newest an hour, the twentieth newest a day.
CREATE FUNCTION registry.hold_phone_codes(persons bytea[]) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(name) FROM (
        SELECT hashtextextended(encode(person, 'hex'), 0) AS name FROM unnest(persons) AS person ORDER BY 1
    ) AS ordered;
    RETURN (
        SELECT coalesce(ceil(extract(epoch FROM max(nth.sent_at + bound.span) - clock_timestamp())), 0)::int
        FROM unnest(persons) AS who (counted)
        CROSS JOIN (VALUES (1, interval '1 minute'), (5, interval '1 hour'), (20, interval '1 day')) AS bound (most, span)
        CROSS JOIN LATERAL (
            SELECT sent_at FROM registry.phone_code_sent AS sent
            WHERE sent.counted = who.counted ORDER BY sent_at DESC OFFSET bound.most - 1 LIMIT 1) AS nth);
END $$;

-- Whether the verification could be used, which only one of several calls at once is told; the number is kept no longer.
CREATE FUNCTION registry.use_phone_verification(person text, verification uuid) RETURNS boolean
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    UPDATE registry.phone_verification
    SET used_at = clock_timestamp(), ddi = NULL, ddd = NULL, valor = NULL, sealed_code = NULL
    WHERE cpf = person AND id = verification AND used_at IS NULL AND expires_at > clock_timestamp();
    RETURN FOUND;
END $$;
