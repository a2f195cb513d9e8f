-- In whose records a phone number is, and to whom it is bound (rules: registry 4.13). The phones of the base record and
-- the five phones of the mirror count, whether they are shown or not.

-- Return the ways to write the same number: a mobile number of Brazil also without its ninth digit, which messengers
-- leave out.
CREATE OR REPLACE FUNCTION registry.phone_forms(asked text) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN asked ~ '^55[1-9]\d9\d{8}$' THEN ARRAY[asked, left(asked, 4) || right(asked, 8)]
        WHEN asked ~ '^55[1-9]\d[6-9]\d{7}$' THEN ARRAY[asked, left(asked, 4) || '9' || right(asked, 8)]
        ELSE ARRAY[asked]
    END
$$;

-- Return the digits of an imported phone with the country code. Without a country code, 10 or 11 digits are a number of
-- Brazil, unless `+` precedes them: `+49 30 901820` is not a number of the Brazilian area 49.
CREATE OR REPLACE FUNCTION registry.phone_number(phone jsonb) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE
        WHEN ddi <> '' THEN ddi || rest
        WHEN NOT is_international AND length(rest) IN (10, 11) THEN '55' || rest
        ELSE rest
    END
    FROM (SELECT
        ltrim(regexp_replace(coalesce(phone ->> 'ddi', ''), '\D', '', 'g'), '0') AS ddi,
        ltrim(regexp_replace(concat(phone ->> 'ddd', phone ->> 'valor'), '\D', '', 'g'), '0') AS rest,
        concat(phone ->> 'ddd', phone ->> 'valor') ~ '^\W*\+' AS is_international
    ) AS digits
$$;

-- Return whether a phone of the mirror is one of these complete numbers, given that its digits equal one of them with
-- or without the country code. After `+`, the digits must include the country code.
CREATE OR REPLACE FUNCTION registry.is_phone_among(value jsonb, forms text[]) RETURNS boolean
LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN value #>> '{}' !~ '^\W*\+' OR regexp_replace(value #>> '{}', '\D', '', 'g') = ANY (forms);

-- Return whether the number is in another person's record. The indexes `register_phones` and `base_record_phones` find
-- candidates by digits, and the functions above compare the complete numbers.
-- PostgreSQL expects too many rows for so many suffixes, so without the setting it would read the whole table.
CREATE OR REPLACE FUNCTION registry.is_phone_anothers(asked text, person text) RETURNS boolean
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
    forms    text[] := registry.phone_forms(asked);
    -- In the mirror: complete, or without the country code.
    whole    text[] := forms || ARRAY(SELECT substr(form, 3) FROM unnest(forms) AS form WHERE form LIKE '55%');
    -- In the `valor` of an imported phone: every long suffix, because country and area codes can be in other members.
    written  text[] := ARRAY(
        SELECT substr(form, place) FROM unnest(whole || ARRAY(SELECT '0' || one FROM unnest(whole) AS one)) AS form,
            generate_series(1, 8) AS place WHERE length(form) - place >= 5);
BEGIN
    RETURN EXISTS (
        SELECT FROM registry.register
        WHERE field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional')
            AND regexp_replace(value #>> '{}', '\D', '', 'g') = ANY (whole) AND registry.is_phone_among(value, forms)
            AND cpf <> person
    ) OR EXISTS (
        SELECT FROM registry.base_record
        WHERE record ? 'telefone' AND string_to_array(
                translate(jsonb_path_query_array(record, '$.telefone.*.valor')::text, '[]" -.()+/', ''), ',') && written
            AND cpf <> person AND EXISTS (
                SELECT FROM jsonb_path_query(record, '$.telefone.*[*]') AS phone
                WHERE registry.phone_number(phone) = ANY (forms))
    );
END $$;

-- Return whether the number is in this person's record.
CREATE OR REPLACE FUNCTION registry.is_phone_own(asked text, person text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM registry.register, unnest(registry.phone_forms(asked)) AS form
        WHERE cpf = person
            AND field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional')
            AND regexp_replace(value #>> '{}', '\D', '', 'g')
                IN (form, CASE WHEN form LIKE '55%' THEN substr(form, 3) END)
            AND registry.is_phone_among(value, registry.phone_forms(asked))
    ) OR EXISTS (
        SELECT FROM registry.base_record, jsonb_path_query(record, '$.telefone.*[*]') AS phone
        WHERE cpf = person AND registry.phone_number(phone) = ANY (registry.phone_forms(asked))
    )
$$;

-- Return whether a binding is valid. A proven one always is. A claimed one is valid for the time `lasting`, and only
-- while the number is in no other person's record.
CREATE OR REPLACE FUNCTION registry.is_phone_bound(held registry.phone_book, lasting interval) RETURNS boolean
LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN held.proof = 'token'
        THEN held.bound_at > clock_timestamp() - lasting AND NOT registry.is_phone_anothers(held.number, held.cpf)
        ELSE held.proof IS NOT NULL
    END
$$;

-- Return how many valid numbers a person has without proof.
CREATE OR REPLACE FUNCTION registry.count_unproven_phones(person text, lasting interval) RETURNS int
LANGUAGE sql STABLE AS $$
    SELECT count(*)::int FROM registry.phone_book AS held
    WHERE cpf = person AND proof = 'token' AND registry.is_phone_bound(held, lasting)
$$;

-- The same, after waiting for other calls of this person until the transaction ends, so that the limit is exact. It is
-- volatile: see `own_writes.sql`.
CREATE OR REPLACE FUNCTION registry.hold_unproven_phones(person text, lasting interval) RETURNS int
LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('unproven phones of ' || person, 0));
    RETURN registry.count_unproven_phones(person, lasting);
END $$;

-- Return the people whom a number may belong to: the person who proved it. If no person did, those who claimed it or
-- have it in their record, at most `most` from each kind of record. A number in quarantine may have changed hands, so
-- it belongs to no person.
CREATE OR REPLACE FUNCTION registry.find_phone_people(asked text, lasting interval, most int) RETURNS SETOF text
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
DECLARE
    forms    text[] := registry.phone_forms(asked);
    -- See `is_phone_anothers`.
    whole    text[] := forms || ARRAY(SELECT substr(form, 3) FROM unnest(forms) AS form WHERE form LIKE '55%');
    written  text[] := ARRAY(
        SELECT substr(form, place) FROM unnest(whole || ARRAY(SELECT '0' || one FROM unnest(whole) AS one)) AS form,
            generate_series(1, 8) AS place WHERE length(form) - place >= 5);
BEGIN
    IF EXISTS (
        SELECT FROM registry.phone_book WHERE number = ANY (forms) AND quarantine_until > clock_timestamp()
    ) THEN
        RETURN;
    END IF;
    RETURN QUERY SELECT cpf FROM registry.phone_book WHERE number = ANY (forms) AND proof <> 'token';
    IF FOUND THEN
        RETURN;
    END IF;
    RETURN QUERY (
        SELECT held.cpf FROM registry.phone_book AS held
        WHERE number = ANY (forms) AND registry.is_phone_bound(held, lasting)
    ) UNION (
        SELECT cpf FROM registry.register
        WHERE field IN ('telefone1', 'telefone2', 'telefone3', 'telefonePrincipal', 'telefoneInternacional')
            AND regexp_replace(value #>> '{}', '\D', '', 'g') = ANY (whole)
            AND registry.is_phone_among(value, forms)
        LIMIT most
    ) UNION (
        SELECT cpf FROM registry.base_record
        WHERE record ? 'telefone' AND string_to_array(
                translate(jsonb_path_query_array(record, '$.telefone.*.valor')::text, '[]" -.()+/', ''), ',') && written
            AND EXISTS (
                SELECT FROM jsonb_path_query(record, '$.telefone.*[*]') AS phone
                WHERE registry.phone_number(phone) = ANY (forms))
        LIMIT most
    );
END $$;
