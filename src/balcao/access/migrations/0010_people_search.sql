-- People are found by a part of their name or of their number, without reading all of them (rules: access 2.3).
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- The one definition of "the same text" in this service: case, accents and runs of blanks do not count. Collation "C"
-- and the decomposed form make it the same on every server, whatever its locale.
CREATE FUNCTION access.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

-- The pattern of a text that has these words, in this order; the signs of a pattern are ordinary characters.
CREATE FUNCTION access.having(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '%' || replace(regexp_replace(access.folded(words), '([\\%_])', '\\\1', 'g'), ' ', '%') || '%'
$$;
GRANT EXECUTE ON FUNCTION access.folded, access.having TO balcao_app;

-- The sign between name and number is in neither.
ALTER TABLE access.person ADD COLUMN search_text text
    GENERATED ALWAYS AS (access.folded(coalesce(display_name, '')) || chr(31) || cpf) STORED;
CREATE INDEX person_search ON access.person USING gin (search_text public.gin_trgm_ops);
