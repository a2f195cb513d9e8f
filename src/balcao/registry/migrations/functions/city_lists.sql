-- Searches in the lists of the city.

-- Return the code of a classification without punctuation: `01.11-3` and `01113` are the same class.
CREATE OR REPLACE FUNCTION registry.bare(code text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT regexp_replace(code, '[^0-9A-Za-z]', '', 'g')
$$;
GRANT EXECUTE ON FUNCTION registry.bare TO balcao_app;
