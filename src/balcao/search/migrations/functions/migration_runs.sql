-- Migrations of the collection (rules: search 4.4 and 4.5). Any worker can continue a run. Its `fence` rejects a worker that
-- has lost the run. Each step that holds locks of writers is one statement, so a stopped worker holds no lock.

-- Reject wrong changes of the state of a run.
CREATE OR REPLACE FUNCTION search.guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status NOT IN ('in_progress', 'rollback') THEN
            RAISE EXCEPTION 'a run begins in_progress, or is a finished rollback' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF OLD.status = 'in_progress' THEN
        IF NEW.progress < OLD.progress OR NEW.fence < OLD.fence OR NEW.status = 'rollback' THEN
            RAISE EXCEPTION 'a run never goes back' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF to_jsonb(NEW) - ARRAY['rolled_back_by', 'rollback_until'] <> to_jsonb(OLD) - ARRAY['rolled_back_by', 'rollback_until']
       OR (OLD.rolled_back_by IS NOT NULL AND NEW.rolled_back_by IS DISTINCT FROM OLD.rolled_back_by) THEN
        RAISE EXCEPTION 'a finished run is history' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE OR REPLACE TRIGGER guard_run BEFORE INSERT OR UPDATE ON search.search_migrations
    FOR EACH ROW EXECUTE FUNCTION search.guard_run();

-- Copy the next rows in the order of their ids. `last` is null if no row was left.
-- A row that already exists in the target came through the mirror and is newer, so it stays.
-- Locks: the share locks come before the first write. They prevent that a row which is deleted during the copy reappears,
-- and no writer that waits for one of them holds a row of the target.
-- A row that a step or a constraint rejects is recorded and left out.
CREATE OR REPLACE FUNCTION search.copy_chunk(
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
        WHEN OTHERS THEN  -- copy the rows one by one, to find those that fail
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

-- Copy one chunk of a run and record the progress. Return nulls, and write nothing, if the caller has lost the run.
CREATE OR REPLACE FUNCTION search.continue_copy(
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

-- Compare the next `chunk` rows after an id, or all remaining rows if `chunk` is null. `differing` contains the ids whose
-- target is not forward(source), or whose source is not reverse(target). `last` is null if these were the last rows.
CREATE OR REPLACE FUNCTION search.compare_chunk(
    source text, target text, after uuid, chunk int, OUT differing uuid[], OUT last uuid)
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

-- Complete the run and switch to the target. Return null if the caller has lost the run. Raise an error if the mirror has
-- missed a write. The switch comes last, because writers wait from then until the commit.
CREATE OR REPLACE FUNCTION search.complete_run(run_id uuid, held int, keep interval) RETURNS boolean
LANGUAGE plpgsql AS $$
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

-- Create the temporary table of a dry run, with the constraints of a schema version.
CREATE OR REPLACE FUNCTION search.create_rehearsal(wanted text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape search.schema_versions;
BEGIN
    SELECT * INTO STRICT shape FROM search.schema_versions WHERE version = wanted;
    EXECUTE format(
        'CREATE TEMPORARY TABLE rehearsal (id uuid PRIMARY KEY,'
        ' doc jsonb NOT NULL CHECK (doc ?& %L::text[] AND doc - %L::text[] - %L::text[] = ''{}''),'
        ' carried jsonb NOT NULL, version int NOT NULL, %s) ON COMMIT DROP',
        shape.fields, shape.fields, shape.optional, shape.columns);
    CREATE TRIGGER derive BEFORE INSERT ON pg_temp.rehearsal
        FOR EACH ROW EXECUTE FUNCTION search.derive_row();
    GRANT INSERT, SELECT ON pg_temp.rehearsal TO balcao_app;
END $$;

-- Try the next rows of a dry run. Return how many were tried, which ones failed and why, and in how many rows each field
-- changes.
CREATE OR REPLACE FUNCTION search.rehearse_chunk(
    source text, wanted text, after uuid, chunk int, OUT seen int, OUT last uuid, OUT failed jsonb, OUT changed jsonb)
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

REVOKE EXECUTE ON FUNCTION search.guard_run, search.copy_chunk, search.continue_copy, search.compare_chunk,
    search.complete_run, search.create_rehearsal, search.rehearse_chunk FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.guard_run, search.copy_chunk, search.continue_copy, search.compare_chunk,
    search.complete_run, search.create_rehearsal, search.rehearse_chunk TO balcao_app;
