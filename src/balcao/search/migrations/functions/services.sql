-- Functions for single services.

-- Give a service a slug: `given` if no other service has it, otherwise one made from the name and the id. If another
-- service has that slug too, a longer part of the id is used. `taken` is null if all candidates belong to other services.
-- `former` are the former slugs of the service.
CREATE OR REPLACE FUNCTION search.take_slug(
    wanted uuid, service_name text, given text, OUT taken text, OUT former text[])
LANGUAGE plpgsql AS $$
DECLARE
    id_length int;
BEGIN
    UPDATE search.service_slugs SET current = false WHERE service_id = wanted AND current;
    FOREACH id_length IN ARRAY ARRAY[0, 8, 13, 36] LOOP
        CONTINUE WHEN id_length = 0 AND given IS NULL;
        INSERT INTO search.service_slugs (slug, service_id, current)
        VALUES (CASE id_length WHEN 0 THEN given ELSE search.slug_of(service_name, wanted, id_length) END, wanted, true)
        ON CONFLICT (slug) DO UPDATE SET current = true WHERE service_slugs.service_id = excluded.service_id
        RETURNING slug INTO taken;
        EXIT WHEN taken IS NOT NULL;
    END LOOP;
    former := ARRAY(SELECT slug FROM search.service_slugs WHERE service_id = wanted AND NOT current ORDER BY slug);
END $$;

-- Return null for an empty text, array or object, so that a comparison treats it like an absent member (rules: search 2.1).
CREATE OR REPLACE FUNCTION search.value_or_null(value jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value IN ('null', '""', '[]', '{}') THEN NULL ELSE value END
$$;

REVOKE EXECUTE ON FUNCTION search.take_slug, search.value_or_null FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.take_slug, search.value_or_null TO balcao_app;
