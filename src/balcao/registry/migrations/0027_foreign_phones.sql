-- A telephone number that is written with `+` has its country's code: `+49 30 901820` is not a number of Brazil's area 49.
-- The functions are those of 0022, 0024 and 0025 with that condition.

-- Whether a number in the mirror is one of these: without its country it is Brazilian only if no `+` precedes it.
CREATE FUNCTION registry.is_phone_among(value jsonb, forms text[]) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN value #>> '{}' !~ '^\W*\+' OR regexp_replace(value #>> '{}', '\D', '', 'g') = ANY (forms);

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

CREATE OR REPLACE FUNCTION registry.is_phone_anothers(asked text, person text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
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

CREATE OR REPLACE FUNCTION registry.find_phone_people(asked text, lasting interval, most int) RETURNS SETOF text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    forms    text[] := registry.phone_forms(asked);
    -- As the mirror, and as an imported phone, may have it: see registry.is_phone_anothers.
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
