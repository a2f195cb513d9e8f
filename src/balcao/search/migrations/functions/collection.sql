-- How services are read from and written to the collection (rules: search 4.4 steps 1 to 3).

-- Convert one row from one schema version to another. Readers convert rows to the version of the program, and writers
-- convert them from it.
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

-- Return the FROM item `stepped (doc, carried)`, which converts the row `origin` from one version to another. Statements on
-- many rows use this text, because looking up the steps for each row costs more than the steps.
CREATE OR REPLACE FUNCTION search.steps_sql(from_version text, to_version text, origin text, stepped text) RETURNS text
LANGUAGE plpgsql STABLE AS $$
DECLARE
    start  int := (SELECT position FROM search.schema_versions WHERE version = from_version);
    goal   int := (SELECT position FROM search.schema_versions WHERE version = to_version);
    before text := origin;
    items  text := '';
    chosen record;
BEGIN
    FOR chosen IN
        SELECT CASE WHEN goal > start THEN forward ELSE reverse END AS function, position
        FROM search.schema_versions
        WHERE position > least(start, goal) AND position <= greatest(start, goal)
        ORDER BY CASE WHEN goal > start THEN position ELSE -position END
    LOOP
        items := items || format('%s search.%I(%s.id, %s.doc, %s.carried) AS %s_%s', CASE WHEN items = '' THEN 'FROM' ELSE ',' END,
                                 chosen.function, origin, before, before, stepped, chosen.position);
        before := format('%s_%s', stepped, chosen.position);
    END LOOP;
    RETURN format('LATERAL (SELECT %s.doc, %s.carried %s) AS %s', before, before, items, stepped);
END $$;

-- Lock the collection against a switch until the transaction ends, and return the alias row. The two statements have
-- separate snapshots, so the row is read as it is after the wait. An advisory lock serves its waiters in order, and a row
-- lock does not.
CREATE OR REPLACE FUNCTION search.enter_collection() RETURNS search.search_collection LANGUAGE plpgsql AS $$
DECLARE
    present search.search_collection;
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('search.collection', 0));
    SELECT * INTO present FROM search.search_collection WHERE name = 'services';
    RETURN present;
END $$;

-- Lock a service for writing, and return the alias row and the service as `program_version` stores it. If `created` is
-- set, insert the head first.
-- Result: `newest_version` is null if there is no head, and `doc` is null if the table has no row.
-- Lock order: collection, head, row. Each statement has a newer snapshot than the wait before it.
CREATE OR REPLACE FUNCTION search.open_service(
    wanted uuid, program_version text, created timestamptz,
    OUT physical text, OUT mirror text, OUT schema_version text, OUT fold_revision int, OUT generation int,
    OUT newest_version int, OUT created_at timestamptz, OUT deleted boolean,
    OUT doc text, OUT carried text, OUT version int)
LANGUAGE plpgsql AS $$
DECLARE
    active search.search_collection;
    head   search.service_head;
BEGIN
    active := search.enter_collection();
    physical := active.physical;
    mirror := active.mirror;
    schema_version := active.schema_version;
    fold_revision := active.fold_revision;
    generation := active.generation;
    IF created IS NOT NULL THEN
        INSERT INTO search.service_head (id, created_at) VALUES (wanted, created) ON CONFLICT (id) DO NOTHING;
    END IF;
    SELECT * INTO head FROM search.service_head WHERE id = wanted FOR UPDATE;
    newest_version := head.next_version - 1;
    created_at := head.created_at;
    deleted := head.deleted_at IS NOT NULL;
    IF newest_version > 0 AND physical IS NOT NULL THEN
        EXECUTE format('SELECT stepped.doc::text, stepped.carried::text, stored.version'
                       ' FROM search.%I AS stored, search.step(stored.id, stored.doc, stored.carried, $2, $3) AS stepped'
                       ' WHERE stored.id = $1', physical)
            INTO doc, carried, version USING wanted, schema_version, program_version;
    END IF;
END $$;

-- Apply a write to the mirror. Every physical table has this trigger from the start, because adding a trigger to a table
-- in use would block its writers. It does nothing unless its table is the active one and there is a mirror, so a mirrored
-- write is not mirrored again.
CREATE OR REPLACE FUNCTION search.mirror_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    active search.search_collection;
    goal   text;
BEGIN
    SELECT * INTO active FROM search.search_collection WHERE physical = TG_TABLE_NAME AND mirror IS NOT NULL;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    BEGIN
        SELECT schema_version INTO STRICT goal FROM search.physical_tables WHERE name = active.mirror;
        IF TG_OP = 'DELETE' THEN
            EXECUTE format('DELETE FROM search.%I WHERE id = $1', active.mirror) USING OLD.id;
        ELSE
            EXECUTE format(
                'INSERT INTO search.%I (id, doc, carried, version)'
                ' SELECT $1, stepped.doc, stepped.carried, $4 FROM search.step($1, $2, $3, $5, $6) AS stepped'
                ' ON CONFLICT (id) DO UPDATE'
                ' SET doc = excluded.doc, carried = excluded.carried, version = excluded.version',
                active.mirror) USING NEW.id, NEW.doc, NEW.carried, NEW.version, active.schema_version, goal;
        END IF;
    EXCEPTION WHEN OTHERS THEN  -- a migration never makes a write fail
        INSERT INTO search.search_migration_errors (physical_table, service_id, reason)
        VALUES (active.mirror, coalesce(NEW.id, OLD.id), 'SQLSTATE ' || SQLSTATE);
    END;
    RETURN NULL;
END $$;

-- Make this table the mirror. Every write that commits later also reaches it, and earlier writers have committed by then.
-- Later writers queue behind a waiting switch, so it gives up after half a second. The caller retries.
CREATE OR REPLACE FUNCTION search.open_mirror(target text) RETURNS void
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.collection', 0));
    UPDATE search.search_collection SET mirror = target;
END $$;

-- Exchange the active table and the mirror. Return false if they are not these two tables, or if the mirror has missed a
-- write. The lock comes first, so that no writer can change afterwards what the statement reads.
CREATE OR REPLACE FUNCTION search.swap_tables(active text, goal text) RETURNS boolean
LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.collection', 0));
    UPDATE search.search_collection
    SET physical = chosen.name, mirror = active, schema_version = chosen.schema_version,
        fold_revision = chosen.fold_revision, generation = generation + 1
    FROM search.physical_tables AS chosen
    WHERE search_collection.physical = active AND search_collection.mirror = goal AND chosen.name = goal
      AND NOT EXISTS (SELECT FROM search.search_migration_errors WHERE physical_table = goal);
    RETURN FOUND;
END $$;

REVOKE EXECUTE ON FUNCTION search.step, search.steps_sql, search.enter_collection, search.open_service,
    search.mirror_row, search.open_mirror, search.swap_tables FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.step, search.steps_sql, search.enter_collection, search.open_service,
    search.mirror_row, search.open_mirror, search.swap_tables TO balcao_app;
