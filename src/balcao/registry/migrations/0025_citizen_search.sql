-- Finding a citizen at the counter, who brings no CPF (registry document, 4.14).

-- By a day of birth and the first word of the civil or the social name: a day that a city's file gives to thousands of
-- people, for want of a better one, must not make a search read them all.
CREATE INDEX base_record_born_names ON registry.base_record
    (left(record #>> '{nascimento,data}', 10), split_part(registry.folded(record ->> 'nome'), ' ', 1));
CREATE INDEX base_record_born_social_names ON registry.base_record
    (left(record #>> '{nascimento,data}', 10), split_part(registry.folded(record ->> 'nome_social'), ' ', 1))
    WHERE record ->> 'nome_social' <> '';

CREATE INDEX ticket_protocols ON registry.ticket (id_chamado) WHERE id_chamado IS NOT NULL;

-- How many people were anonymised since a day, for the retention report.
CREATE INDEX mirror_head_anonymised ON registry.mirror_head (anonymised_at) WHERE anonymised_at IS NOT NULL;

-- Whom a number may lead to: whoever proved it by a code, alone; else those in whose record it stands and who has it on
-- their word. One in quarantine leads to nobody: it may have changed hands. No more than `most` of each kind are read.
CREATE FUNCTION registry.find_phone_people(asked text, lasting interval, most int) RETURNS SETOF text
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
