-- The online method of the search document, 4.4: a run is taken over by any worker, each of its commits is fenced, and
-- what holds a lock that a writer needs is one statement, so that a worker that stops in the middle holds none.

ALTER TABLE search.physical_tables ADD COLUMN drop_after timestamptz;
GRANT UPDATE (drop_after) ON search.physical_tables TO balcao_app;
-- A table that nothing reads any more is now found by the clock and not by a job of its own.
UPDATE search.physical_tables SET drop_after = now()
WHERE name NOT IN (SELECT physical FROM search.search_collection
                   UNION ALL SELECT mirror FROM search.search_collection WHERE mirror IS NOT NULL);
DELETE FROM queue.pgqueuer WHERE entrypoint IN ('search.close_rollback_window', 'search.drop_unused_table');

ALTER TABLE search.search_migrations ADD CHECK (phase <> 'done' OR status <> 'in_progress');

DROP FUNCTION search.copy_rows(text, text);
DROP FUNCTION search.differing_rows(text, text);

-- The FROM item `stepped (doc, carried)`: a row named `origin`, taken from one version to another. As text, because a
-- function that looks its steps up for every row costs more than the steps.
CREATE FUNCTION search.steps_sql(from_version text, to_version text, origin text, stepped text) RETURNS text
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

-- Takes the next rows of a table, in the order of their ids, to another one; a row that is there already is the fresher
-- one. The share locks are taken before the first row is written: they keep a row that is deleted meanwhile from coming
-- back, and nobody who waits for one of them holds a row of the target. A row that a step or a constraint refuses is
-- noted and left out. `last` is null when there was no row left.
CREATE FUNCTION search.copy_chunk(
    source text, target text, after uuid, chunk int, OUT seen int, OUT refused int, OUT last uuid)
LANGUAGE plpgsql AS $$
DECLARE
    steps  text := search.steps_sql(
        (SELECT schema_version FROM search.physical_tables WHERE name = source),
        (SELECT schema_version FROM search.physical_tables WHERE name = target), 'origin', 'stepped');
    copy   text := format(
        'INSERT INTO search.%I (id, doc, carried, version)'
        ' SELECT origin.id, stepped.doc, stepped.carried, origin.version FROM search.%I AS origin, %s'
        ' WHERE origin.id = ANY($1) ON CONFLICT (id) DO NOTHING', target, source, steps);
    chosen uuid[];
    single uuid;
BEGIN
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM search.%I %s ORDER BY id LIMIT $2 FOR SHARE) AS locked',
                   source, CASE WHEN after IS NULL THEN '' ELSE 'WHERE id > $1' END)
        INTO chosen USING after, chunk;
    seen := coalesce(cardinality(chosen), 0);
    refused := 0;
    last := chosen[seen];
    BEGIN
        EXECUTE copy USING chosen;
    EXCEPTION
        WHEN lock_not_available OR deadlock_detected OR query_canceled THEN RAISE;
        WHEN OTHERS THEN  -- one of them cannot be taken: which ones is found one by one
            FOREACH single IN ARRAY chosen LOOP
                BEGIN
                    EXECUTE copy USING ARRAY[single];
                EXCEPTION
                    WHEN lock_not_available OR deadlock_detected OR query_canceled THEN RAISE;
                    WHEN OTHERS THEN
                        refused := refused + 1;
                        INSERT INTO search.search_migration_errors (physical_table, service_id, reason)
                        VALUES (target, single, 'SQLSTATE ' || SQLSTATE);
                END;
            END LOOP;
    END;
END $$;

-- Of the next ids after `after` (all that are left when `chunk` is null), those that differ between forward(source) and
-- target, or do not come back by the reverse steps; `last` is null when these were the last.
CREATE FUNCTION search.compare_chunk(source text, target text, after uuid, chunk int, OUT differing uuid[], OUT last uuid)
LANGUAGE plpgsql STABLE AS $$
DECLARE
    origin text := (SELECT schema_version FROM search.physical_tables WHERE name = source);
    goal   text := (SELECT schema_version FROM search.physical_tables WHERE name = target);
    range  text := CASE WHEN after IS NULL THEN 'true' ELSE 'id > $1' END;
BEGIN
    IF chunk IS NOT NULL THEN
        EXECUTE format('SELECT id FROM search.%I WHERE %s ORDER BY id OFFSET $2 LIMIT 1', source, range)
            INTO last USING after, chunk - 1;
    END IF;
    range := range || CASE WHEN last IS NULL THEN '' ELSE ' AND id <= $2' END;
    EXECUTE format(
        'SELECT array_agg(coalesce(old.id, new.id) ORDER BY coalesce(old.id, new.id))'
        ' FROM (SELECT * FROM search.%I WHERE %s) AS old FULL JOIN (SELECT * FROM search.%I WHERE %s) AS new ON new.id = old.id'
        ' LEFT JOIN %s ON old.id IS NOT NULL LEFT JOIN %s ON new.id IS NOT NULL'
        ' WHERE (new.doc, new.carried, new.version) IS DISTINCT FROM (forth.doc, forth.carried, old.version)'
        '    OR (old.doc, old.carried) IS DISTINCT FROM (back.doc, back.carried)',
        source, range, target, range,
        search.steps_sql(origin, goal, 'old', 'forth'), search.steps_sql(goal, origin, 'new', 'back'))
        INTO differing USING after, last;
    differing := coalesce(differing, '{}');
END $$;

-- Lets every write go to this table, too, from the commit on: whoever wrote before it has committed by then.
-- Whoever waits for this lock keeps every later writer waiting behind it, so it is given up soon and tried again.
CREATE FUNCTION search.open_mirror(target text) RETURNS void LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.collection', 0));
    UPDATE search.search_collection SET mirror = target;
END $$;

-- Exchanges active table and mirror, when they are these two and every write has reached the mirror; else answers false.
-- The lock comes first: what is read after it is as no writer will change it.
CREATE FUNCTION search.swap_tables(active text, goal text) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '500ms' AS $$
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

-- One chunk of a run's copy, if the caller still holds the run: else nulls, and nothing is written.
CREATE FUNCTION search.continue_copy(
    run_id uuid, held int, chunk int, lease interval, OUT seen int, OUT took interval)
LANGUAGE plpgsql SET lock_timeout = '100ms' AS $$
DECLARE
    begun  timestamptz := clock_timestamp();
    run    search.search_migrations;
    done   record;
    copied int;
BEGIN
    SELECT * INTO run FROM search.search_migrations
    WHERE id = run_id AND fence = held AND status = 'in_progress' AND phase = 'back_fill' FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    SELECT * INTO done FROM search.copy_chunk(run.source_collection, run.target_collection, run.last_key, chunk);
    seen := done.seen;
    copied := run.migrated_documents + seen - done.refused;
    UPDATE search.search_migrations
    SET last_key = coalesce(done.last, last_key), migrated_documents = copied,
        total_documents = greatest(total_documents, copied),
        progress = greatest(progress, 1 + floor(89.0 * copied / greatest(total_documents, copied, 1))::int),
        lease_until = clock_timestamp() + lease, resumes = 0
    WHERE id = run_id;
    took := clock_timestamp() - begun;
END $$;

-- Ends a run by the switch, if the caller still holds it: null when not, false when the tables are no longer alike.
CREATE FUNCTION search.complete_run(run_id uuid, held int, keep interval) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    run search.search_migrations;
BEGIN
    UPDATE search.search_migrations
    SET status = 'completed', phase = 'done', progress = 100, backup_collection = source_collection,
        completed_at = clock_timestamp(), rollback_until = clock_timestamp() + keep, lease_until = NULL, worker_id = NULL
    WHERE id = run_id AND fence = held AND status = 'in_progress' AND phase = 'switching'
    RETURNING * INTO run;
    IF NOT FOUND THEN
        RETURN NULL;
    END IF;
    IF search.swap_tables(run.source_collection, run.target_collection) THEN
        RETURN true;
    END IF;
    RAISE EXCEPTION 'the tables are not alike' USING ERRCODE = 'triggered_data_change_violation';
END $$;

-- A filled table has the planner's statistics before it is searched.
CREATE FUNCTION search.analyze_physical(target text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM FROM search.physical_tables WHERE name = target;
    IF FOUND THEN
        EXECUTE format('ANALYZE search.%I', target);
    END IF;
END $$;

-- For a dry run: a table of this transaction alone, with the constraints of a schema version.
CREATE FUNCTION search.create_rehearsal(wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape search.schema_versions;
BEGIN
    SELECT * INTO STRICT shape FROM search.schema_versions WHERE version = wanted;
    EXECUTE format(
        'CREATE TEMPORARY TABLE rehearsal (id uuid PRIMARY KEY,'
        ' doc jsonb NOT NULL CHECK (doc ?& %L::text[] AND doc - %L::text[] = ''{}''),'
        ' carried jsonb NOT NULL, version int NOT NULL, %s) ON COMMIT DROP', shape.fields, shape.fields, shape.columns);
    GRANT INSERT, SELECT ON pg_temp.rehearsal TO balcao_app;
END $$;

-- One chunk of a dry run: how many rows were tried, which are refused and why, and in how many each field changes.
CREATE FUNCTION search.rehearse_chunk(source text, wanted text, after uuid, chunk int,
    OUT seen int, OUT last uuid, OUT failed jsonb, OUT changed jsonb)
LANGUAGE plpgsql AS $$
DECLARE
    origin text := (SELECT schema_version FROM search.physical_tables WHERE name = source);
    tried  text := format(
        'WITH tried AS (SELECT old.id, old.version, old.doc AS before, forth.doc, forth.carried,'
        '        (back.doc, back.carried) IS DISTINCT FROM (old.doc, old.carried) AS one_way'
        '    FROM search.%I AS old, %s, LATERAL (SELECT old.id, forth.doc, forth.carried) AS new, %s WHERE old.id = ANY($1)),'
        ' added AS (INSERT INTO pg_temp.rehearsal (id, doc, carried, version)'
        '    SELECT id, doc, carried, version FROM tried)'
        ' SELECT coalesce(jsonb_agg(id) FILTER (WHERE one_way), ''[]''),'
        '    (SELECT coalesce(jsonb_object_agg(key, rows), ''{}'') FROM ('
        '        SELECT key, count(*) AS rows FROM tried,'
        '            LATERAL (SELECT key FROM jsonb_each(before) AS was FULL JOIN jsonb_each(doc) AS is_now USING (key)'
        '                     WHERE was.value IS DISTINCT FROM is_now.value) AS field GROUP BY key) AS counted)'
        ' FROM tried', source, search.steps_sql(origin, wanted, 'old', 'forth'), search.steps_sql(wanted, origin, 'new', 'back'));
    chosen uuid[];
    single uuid;
    lost   jsonb;
    fields jsonb;
BEGIN
    EXECUTE format('SELECT array_agg(id ORDER BY id) FROM (SELECT id FROM search.%I %s ORDER BY id LIMIT $2) AS next',
                   source, CASE WHEN after IS NULL THEN '' ELSE 'WHERE id > $1' END)
        INTO chosen USING after, chunk;
    seen := coalesce(cardinality(chosen), 0);
    last := chosen[seen];
    failed := '[]';
    changed := '[]';
    IF seen = 0 THEN
        RETURN;
    END IF;
    BEGIN
        EXECUTE tried INTO lost, fields USING chosen;
        failed := (SELECT coalesce(jsonb_agg(jsonb_build_object('service_id', id, 'reason', 'REVERSE')), '[]')
                   FROM jsonb_array_elements_text(lost) AS id);
        changed := jsonb_build_array(fields);
    EXCEPTION WHEN OTHERS THEN
        FOREACH single IN ARRAY chosen LOOP
            BEGIN
                EXECUTE tried INTO lost, fields USING ARRAY[single];
                changed := changed || fields;
                IF lost <> '[]' THEN
                    failed := failed || jsonb_build_object('service_id', single, 'reason', 'REVERSE');
                END IF;
            EXCEPTION WHEN OTHERS THEN
                failed := failed || jsonb_build_object('service_id', single, 'reason', 'SQLSTATE ' || SQLSTATE);
            END;
        END LOOP;
    END;
END $$;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA search FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search TO balcao_app;
REVOKE EXECUTE ON FUNCTION search.rebuild FROM balcao_app;
