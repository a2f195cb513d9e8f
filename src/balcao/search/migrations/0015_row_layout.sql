-- A search reads the folded texts and vectors of thousands of rows and the document of ten. By PostgreSQL's own measure of
-- 2,000 bytes those texts left the row as well, and each one then costs as much as the row (search document, 3.2). Rows
-- that are there follow when they are next written; a migration or a rebuild writes all of them.
CREATE OR REPLACE FUNCTION search.create_physical(wanted text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape  search.schema_versions;
    stem   text := format('services_%s_%s', wanted, to_char(now() AT TIME ZONE 'UTC', 'YYYYMMDD_HH24MISS'));
    chosen text := stem;
    index  text;
BEGIN
    SELECT * INTO STRICT shape FROM search.schema_versions WHERE version = wanted;
    FOR number IN 2..1000 LOOP
        EXIT WHEN to_regclass(format('search.%I', chosen)) IS NULL;
        chosen := format('%s_%s', stem, number);
    END LOOP;
    EXECUTE format(
        'CREATE TABLE search.%I (id uuid PRIMARY KEY,'
        ' doc jsonb NOT NULL CHECK (doc ?& %L::text[] AND doc - %L::text[] = ''{}''),'
        ' carried jsonb NOT NULL, version int NOT NULL, %s) WITH (toast_tuple_target = 3000)',
        chosen, shape.fields, shape.fields, shape.columns);
    FOREACH index IN ARRAY shape.indexes LOOP
        EXECUTE format('CREATE INDEX ON search.%I %s', chosen, index);
    END LOOP;
    EXECUTE format('CREATE TRIGGER mirror AFTER INSERT OR UPDATE OR DELETE ON search.%I'
                   ' FOR EACH ROW EXECUTE FUNCTION search.mirror_row()', chosen);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON search.%I TO balcao_app', chosen);
    INSERT INTO search.physical_tables (name, schema_version, fold_revision) VALUES (chosen, wanted, shape.fold_revision);
    RETURN chosen;
END $$;

DO $$
DECLARE
    present text;
BEGIN
    FOR present IN SELECT name FROM search.physical_tables LOOP
        EXECUTE format('ALTER TABLE search.%I SET (toast_tuple_target = 3000)', present);
    END LOOP;
END $$;
