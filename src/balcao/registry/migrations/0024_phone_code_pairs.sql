-- Nobody spends all codes of a number that is somebody else's (registry document, 4.7). Processes of the last release go on
-- asking by the function of 0015.

-- Whether the number stands in this person's own record: as the city imported it, or as the CRM or a code told it.
CREATE FUNCTION registry.is_phone_own(asked text, person text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM registry.register, unnest(registry.phone_forms(asked)) AS form
        WHERE cpf = person
            AND field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional')
            AND regexp_replace(value #>> '{}', '\D', '', 'g')
                IN (form, CASE WHEN form LIKE '55%' THEN substr(form, 3) END)
    ) OR EXISTS (
        SELECT FROM registry.base_record, jsonb_path_query(record, '$.telefone.*[*]') AS phone
        WHERE cpf = person AND registry.phone_number(phone) = ANY (registry.phone_forms(asked))
    )
$$;

-- How many seconds to wait until another code may be sent to this citizen and number; 0 or less when it may be now. What is
-- counted are hashes of the citizen, of the number and of both together, each by the key in use and by former ones. Locks
-- are taken as in 0015, so that the limits are exact beside processes that ask it. Volatile: see 0012.
CREATE FUNCTION registry.hold_phone_codes(
    person text, asked text, citizens bytea[], numbers bytea[], pairs bytea[]
) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    -- Nobody keeps people from the number in their own record: what others had sent there counts for others.
    others bytea[] := CASE WHEN registry.is_phone_own(asked, person) THEN '{}' ELSE numbers END;
BEGIN
    PERFORM pg_advisory_xact_lock(name) FROM (
        SELECT hashtextextended(encode(hashed, 'hex'), 0) AS name FROM unnest(citizens || numbers) AS hashed ORDER BY 1
    ) AS ordered;
    -- An hour of a number is twice what one person may ask for, so that nobody alone fills it.
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
