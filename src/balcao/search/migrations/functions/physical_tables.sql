-- Physical tables of the collection. The services connect with a role that owns nothing, so functions of the owner create
-- and drop the tables (rules: search 3.2).

-- Create an empty table of a schema version and return its name. It has no foreign key to `service_head`, because adding
-- one would lock the heads and so block all writers.
CREATE OR REPLACE FUNCTION search.create_physical(wanted text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
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
        ' doc jsonb NOT NULL CHECK (doc ?& %L::text[] AND doc - %L::text[] - %L::text[] = ''{}''),'
        ' carried jsonb NOT NULL, version int NOT NULL, %s)',
        chosen, shape.fields, shape.fields, shape.optional, shape.columns);
    FOREACH index IN ARRAY shape.indexes LOOP
        EXECUTE format('CREATE INDEX ON search.%I %s', chosen, index);
    END LOOP;
    EXECUTE format('CREATE TRIGGER mirror AFTER INSERT OR UPDATE OR DELETE ON search.%I'
                   ' FOR EACH ROW EXECUTE FUNCTION search.mirror_row()', chosen);
    EXECUTE format('CREATE TRIGGER derive BEFORE INSERT OR UPDATE ON search.%I'
                   ' FOR EACH ROW EXECUTE FUNCTION search.derive_row()', chosen);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON search.%I TO balcao_app', chosen);
    INSERT INTO search.physical_tables (name, schema_version, fold_revision) VALUES (chosen, wanted, shape.fold_revision);
    RETURN chosen;
END $$;

-- Drop a table. Return false, and drop nothing, if it is the active table or the mirror.
CREATE OR REPLACE FUNCTION search.drop_physical(unused text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM search.search_collection WHERE unused IN (physical, coalesce(mirror, ''));
    IF FOUND THEN
        RETURN false;
    END IF;
    DELETE FROM search.physical_tables WHERE name = unused;
    IF FOUND THEN
        EXECUTE format('DROP TABLE search.%I', unused);
    END IF;
    RETURN true;
END $$;

-- Update the planner statistics of a table.
CREATE OR REPLACE FUNCTION search.analyze_physical(target text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM search.physical_tables WHERE name = target;
    IF FOUND THEN
        EXECUTE format('ANALYZE search.%I', target);
    END IF;
END $$;

-- Build the active table again from its own rows. A numbered migration that changes the columns or the folding of a schema
-- version calls this while no process runs. The former table and its mirror have the old columns, so they are dropped,
-- and a rollback is no longer possible.
CREATE OR REPLACE FUNCTION search.rebuild() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    former search.search_collection;
    chosen text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.migrations', 0));
    PERFORM pg_advisory_xact_lock(hashtextextended('search.collection', 0));
    SELECT * INTO STRICT former FROM search.search_collection;
    chosen := search.create_physical(former.schema_version);
    EXECUTE format('INSERT INTO search.%I (id, doc, carried, version) SELECT id, doc, carried, version FROM search.%I',
                   chosen, former.physical);
    UPDATE search.search_migrations SET rollback_until = now() WHERE rollback_until > now();
    UPDATE search.search_collection SET physical = chosen, mirror = NULL, generation = generation + 1,
        fold_revision = (SELECT fold_revision FROM search.physical_tables WHERE name = chosen);
    PERFORM search.drop_physical(former.physical);
    PERFORM search.drop_physical(former.mirror) WHERE former.mirror IS NOT NULL;
    RETURN chosen;
END $$;

-- Set the schema version of a collection that has never contained a service. Any other collection stays as it is.
CREATE OR REPLACE FUNCTION search.begin_with(wanted text) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    present text;
    chosen  text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.collection', 0));
    SELECT physical INTO present FROM search.search_collection;
    IF EXISTS (SELECT FROM search.service_head) OR EXISTS (SELECT FROM search.search_migrations) THEN
        RETURN present;
    END IF;
    chosen := search.create_physical(wanted);
    INSERT INTO search.search_collection (name, physical, schema_version, fold_revision)
    SELECT 'services', name, schema_version, fold_revision FROM search.physical_tables WHERE name = chosen
    ON CONFLICT (name) DO UPDATE SET physical = excluded.physical, schema_version = excluded.schema_version,
        fold_revision = excluded.fold_revision, generation = search_collection.generation + 1;
    IF present IS NOT NULL THEN
        PERFORM search.drop_physical(present);
    END IF;
    RETURN chosen;
END $$;

REVOKE EXECUTE ON FUNCTION search.create_physical, search.drop_physical, search.analyze_physical, search.rebuild,
    search.begin_with FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.create_physical, search.drop_physical, search.analyze_physical,
    search.begin_with TO balcao_app;

-- A new installation starts with the newest schema version.
SELECT search.begin_with('v3') WHERE NOT EXISTS (SELECT FROM search.search_collection);
