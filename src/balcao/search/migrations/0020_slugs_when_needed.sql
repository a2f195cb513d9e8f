-- A service's address is made when it is tried, and by expressions in the place of a query: each service written, and most of
-- all each one imported with its address, paid for three that nobody took. The results are the same.

CREATE OR REPLACE FUNCTION search.slug_of(name text, id uuid, id_length int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words text := btrim(regexp_replace(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'))
                                       COLLATE "C", '[^a-z0-9]+', '-', 'g'), '-');
BEGIN
    IF length(words) > 50 THEN
        words := regexp_replace(left(words, 50), '-[^-]*$', '');
    END IF;
    RETURN CASE WHEN words = '' THEN '' ELSE words || '-' END || left(id::text, id_length);
END $$;

CREATE OR REPLACE FUNCTION search.take_slug(wanted uuid, service_name text, given text, OUT taken text, OUT former text[])
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
