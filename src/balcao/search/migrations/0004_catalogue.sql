-- Names of categories, organs and people match without regard to case, accents, hyphens and repeated blanks (search 1).
-- Only compared, never stored: the folding of the search itself is another one, with a revision (4.6).
CREATE FUNCTION search.fold_name(name text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g')), '[\s\u2010-\u2015-]+', ' ', 'g'))
$$;
REVOKE EXECUTE ON FUNCTION search.fold_name(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.fold_name(text) TO balcao_app;

-- Every change of a service leaves a version, so whoever keeps answers in memory hears of each when it commits.
CREATE FUNCTION search.announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('balcao_search', '');
    RETURN NULL;
END $$;
CREATE TRIGGER announce_change AFTER INSERT ON search.service_versions
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
REVOKE EXECUTE ON FUNCTION search.announce_change() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.announce_change() TO balcao_app;

-- A member's value in a comparison: an empty text, list or object is no value, as null and absent are (2.1).
CREATE FUNCTION search.value_or_null(value jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN value IN ('null', '""', '[]', '{}') THEN NULL ELSE value END
$$;
REVOKE EXECUTE ON FUNCTION search.value_or_null(jsonb) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.value_or_null(jsonb) TO balcao_app;
