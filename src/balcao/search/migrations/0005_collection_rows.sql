-- How a writer enters the collection, and how a release gives the physical tables other derived columns
-- (search document, 3.2, 3.5 and 4.4, steps 1-2).

-- The revision of the folding that a version's derived columns are made with; a table keeps the one it was created with.
ALTER TABLE search.schema_versions ADD COLUMN fold_revision int NOT NULL DEFAULT 0 CHECK (fold_revision >= 0);

-- A writer's first step: the lock, and then the alias row, each in a statement of its own. The two statements of this
-- function have a snapshot each, so the row is read as it is after the wait; one statement would read it as it was before.
CREATE FUNCTION search.enter_collection() RETURNS search.search_collection LANGUAGE plpgsql VOLATILE AS $$
DECLARE
    present search.search_collection;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('search.collection', 0));
    SELECT * INTO present FROM search.search_collection WHERE name = 'services';
    RETURN present;
END $$;

-- As before, and at no cost for a row that stays in its version.
CREATE OR REPLACE FUNCTION search.step(
    id uuid, INOUT doc jsonb, INOUT carried jsonb, from_version text, to_version text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    origin int;
    goal   int;
    chosen text;
BEGIN
    IF from_version = to_version THEN
        RETURN;
    END IF;
    origin := (SELECT position FROM search.schema_versions WHERE version = from_version);
    goal := (SELECT position FROM search.schema_versions WHERE version = to_version);
    IF origin IS NULL OR goal IS NULL THEN
        RAISE EXCEPTION 'unknown schema version';
    END IF;
    FOR chosen IN
        SELECT CASE WHEN goal > origin THEN forward ELSE reverse END
        FROM search.schema_versions
        WHERE position > least(origin, goal) AND position <= greatest(origin, goal)
        ORDER BY CASE WHEN goal > origin THEN position ELSE -position END
    LOOP
        EXECUTE format('SELECT stepped.doc, stepped.carried FROM search.%I($1, $2, $3) AS stepped', chosen)
            INTO doc, carried USING id, doc, carried;
    END LOOP;
END $$;

-- As before, and the table remembers the folding that its columns were made with.
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
        ' carried jsonb NOT NULL, version int NOT NULL, %s)', chosen, shape.fields, shape.fields, shape.columns);
    FOREACH index IN ARRAY shape.indexes LOOP
        EXECUTE format('CREATE INDEX ON search.%I %s', chosen, index);
    END LOOP;
    EXECUTE format('CREATE TRIGGER mirror AFTER INSERT OR UPDATE OR DELETE ON search.%I'
                   ' FOR EACH ROW EXECUTE FUNCTION search.mirror_row()', chosen);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON search.%I TO balcao_app', chosen);
    INSERT INTO search.physical_tables (name, schema_version, fold_revision) VALUES (chosen, wanted, shape.fold_revision);
    RETURN chosen;
END $$;

-- For the migrations of a release that gives a schema version other columns or another folding while no process runs:
-- the active table is built anew from its own rows. The former table and its mirror had the former columns and go,
-- and with them the window of a rollback.
CREATE FUNCTION search.rebuild() RETURNS text LANGUAGE plpgsql AS $$
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

REVOKE EXECUTE ON FUNCTION search.enter_collection, search.rebuild FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.enter_collection TO balcao_app;
