-- Return the pattern for LIKE that finds texts with these words, in this order. `%`, `_` and `\` are ordinary
-- characters.
CREATE OR REPLACE FUNCTION access.having(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT '%' || replace(regexp_replace(access.folded(words), '([\\%_])', '\\\1', 'g'), ' ', '%') || '%'
$$;
GRANT EXECUTE ON FUNCTION access.having TO balcao_app;
