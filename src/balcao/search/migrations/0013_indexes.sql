-- A word of many services has a long list in a GIN index, which each row packed anew: half of what a write and a row of
-- the back-fill cost. Now some thirty rows share that. Their list is of 64 kB at most, so going through it is nothing
-- to a search, and emptying it takes whoever fills it a few milliseconds.
-- The others are the orders of the staff list. Only `published_at` may be null, and then comes last either way.
DO $$
DECLARE
    orders  CONSTANT text[] := ARRAY[
        '(((doc ->> ''created_at'')::bigint), id)',
        '(((doc ->> ''published_at'')::bigint), id)',
        '(((doc ->> ''published_at'')::bigint) DESC NULLS LAST, id DESC)'];
    present text;
    wanted  text;
BEGIN
    UPDATE search.schema_versions
    SET indexes = (SELECT array_agg(replace(definition, 'fastupdate = off', 'fastupdate = on, gin_pending_list_limit = 64')
                                    ORDER BY place)
                   FROM unnest(indexes) WITH ORDINALITY AS listed (definition, place)) || orders;
    FOR present IN
        SELECT index.indexrelid::regclass
        FROM search.physical_tables
        JOIN pg_index AS index ON index.indrelid = format('search.%I', name)::regclass
        JOIN pg_class ON pg_class.oid = index.indexrelid
        JOIN pg_am ON pg_am.oid = pg_class.relam
        WHERE pg_am.amname = 'gin'
    LOOP
        EXECUTE format('ALTER INDEX %s SET (fastupdate = on, gin_pending_list_limit = 64)', present);
    END LOOP;
    FOR present IN SELECT name FROM search.physical_tables LOOP
        FOREACH wanted IN ARRAY orders LOOP
            EXECUTE format('CREATE INDEX ON search.%I %s', present, wanted);
        END LOOP;
    END LOOP;
END $$;
