-- Whose record a telephone number stands in, so that nobody binds it on their word alone (rules: registry 4.13).
-- Whatever the city imported counts, shown or not, and so does every phone of the mirror.

-- The digits of each phone of a base record as they were written; what is asked for is written in each way it may be.
CREATE INDEX base_record_phones ON registry.base_record USING gin (string_to_array(
    translate(jsonb_path_query_array(record, '$.telefone.*.valor')::text, '[]" -.()+/', ''), ','))
WHERE record ? 'telefone';
CREATE INDEX register_phones ON registry.register (regexp_replace(value #>> '{}', '\D', '', 'g'))
WHERE field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional');

-- A mobile number of Brazil is known with its ninth digit and, as messengers go on doing, without it.
CREATE FUNCTION registry.phone_forms(asked text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN asked ~ '^55[1-9]\d9\d{8}$' THEN ARRAY[asked, left(asked, 4) || right(asked, 8)]
        WHEN asked ~ '^55[1-9]\d[6-9]\d{7}$' THEN ARRAY[asked, left(asked, 4) || '9' || right(asked, 8)]
        ELSE ARRAY[asked]
    END
$$;

-- The number of an imported phone with its country's code, Brazil's where it names none.
CREATE FUNCTION registry.phone_number(phone jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN ddi <> '' THEN ddi || rest WHEN length(rest) IN (10, 11) THEN '55' || rest ELSE rest END
    FROM (SELECT
        ltrim(regexp_replace(coalesce(phone ->> 'ddi', ''), '\D', '', 'g'), '0') AS ddi,
        ltrim(regexp_replace(concat(phone ->> 'ddd', phone ->> 'valor'), '\D', '', 'g'), '0') AS rest
    ) AS digits
$$;

-- Whether the number stands in the record of anybody but this person.
CREATE FUNCTION registry.is_phone_anothers(asked text, person text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
    forms    text[] := registry.phone_forms(asked);
    -- As the mirror may have it: whole, or without the country.
    whole    text[] := forms || ARRAY(SELECT substr(form, 3) FROM unnest(forms) AS form WHERE form LIKE '55%');
    -- As an imported phone may have it: the country, the area or both may stand in members of their own.
    written  text[] := ARRAY(
        SELECT substr(form, place) FROM unnest(whole || ARRAY(SELECT '0' || one FROM unnest(whole) AS one)) AS form,
            generate_series(1, 8) AS place WHERE length(form) - place >= 5);
BEGIN
    RETURN EXISTS (
        SELECT FROM registry.register
        WHERE field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional')
            AND regexp_replace(value #>> '{}', '\D', '', 'g') = ANY (whole) AND cpf <> person
    ) OR EXISTS (
        SELECT FROM registry.base_record
        WHERE record ? 'telefone' AND string_to_array(
                translate(jsonb_path_query_array(record, '$.telefone.*.valor')::text, '[]" -.()+/', ''), ',') && written
            AND cpf <> person AND EXISTS (
                SELECT FROM jsonb_path_query(record, '$.telefone.*[*]') AS phone
                WHERE registry.phone_number(phone) = ANY (forms))
    );
END $$;

-- Whether a binding holds: one that was proven always, one on somebody's word for a while and in nobody else's record.
CREATE FUNCTION registry.is_phone_bound(held registry.phone_book, lasting interval) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN held.proof = 'token'
        THEN held.bound_at > clock_timestamp() - lasting AND NOT registry.is_phone_anothers(held.number, held.cpf)
        ELSE held.proof IS NOT NULL
    END
$$;

CREATE FUNCTION registry.count_unproven_phones(person text, lasting interval) RETURNS int LANGUAGE sql STABLE AS $$
    SELECT count(*)::int FROM registry.phone_book AS held
    WHERE cpf = person AND proof = 'token' AND registry.is_phone_bound(held, lasting)
$$;

-- As that, but waits for another call of the same person, so that no more are bound at once than may be. Volatile, so
-- that it counts what there is under the lock (see 0015).
CREATE FUNCTION registry.hold_unproven_phones(person text, lasting interval) RETURNS int LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('unproven phones of ' || person, 0));
    RETURN registry.count_unproven_phones(person, lasting);
END $$;

-- What was bound by the older rule: the three oldest of each person stay, if they are in nobody else's record.
DELETE FROM registry.phone_book AS held WHERE proof = 'token' AND NOT registry.is_phone_bound(held, interval '30 days');
DELETE FROM registry.phone_book WHERE number IN (
    SELECT number FROM (
        SELECT number, row_number() OVER (PARTITION BY cpf ORDER BY bound_at, number) AS place
        FROM registry.phone_book WHERE proof = 'token'
    ) AS unproven WHERE place > 3);
