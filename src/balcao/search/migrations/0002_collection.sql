-- The collection `services`: its schema versions, its physical tables, and the row that says which one is active
-- (search document, 3.2, 3.5 and 4.4).

CREATE TYPE search.divided AS (doc jsonb, carried jsonb);

-- A further version is one row here and two IMMUTABLE functions (id, doc, carried) -> search.divided that read no table.
-- `carried` keeps what a version does not know. Steps leave out of it what the forward step would compute again,
-- so both directions are exact: reverse(forward(row)) is the row, and forward(reverse(row)) is the row.
CREATE TABLE search.schema_versions (
    version  text PRIMARY KEY CHECK (version ~ '^v[0-9]{1,4}$'),
    position int NOT NULL UNIQUE CHECK (position >= 1),
    fields   text[] NOT NULL,
    columns  text NOT NULL,
    indexes  text[] NOT NULL,
    forward  text,
    reverse  text,
    CHECK ((position = 1) = (forward IS NULL) AND (position = 1) = (reverse IS NULL))
);
GRANT SELECT ON search.schema_versions TO balcao_app;

CREATE FUNCTION search.check_steps() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    step text;
BEGIN
    FOREACH step IN ARRAY array_remove(ARRAY[NEW.forward, NEW.reverse], NULL) LOOP
        PERFORM FROM pg_proc
        WHERE oid = to_regprocedure(format('search.%I(uuid, jsonb, jsonb)', step))
          AND provolatile = 'i' AND prorettype = 'search.divided'::regtype;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'schema version %: search.%(uuid, jsonb, jsonb) must exist, be immutable and return search.divided',
                NEW.version, step;
        END IF;
    END LOOP;
    RETURN NEW;
END $$;
CREATE TRIGGER check_steps BEFORE INSERT OR UPDATE ON search.schema_versions
    FOR EACH ROW EXECUTE FUNCTION search.check_steps();

CREATE FUNCTION search.v2_forward(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT doc || jsonb_build_object('sub_categoria', coalesce(carried -> 'sub_categoria', 'null')),
           carried - 'sub_categoria'
$$;

CREATE FUNCTION search.v2_reverse(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT doc - 'sub_categoria',
           CASE WHEN doc -> 'sub_categoria' = 'null' THEN carried
                ELSE carried || jsonb_build_object('sub_categoria', doc -> 'sub_categoria') END
$$;

CREATE FUNCTION search.v3_forward(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT doc || jsonb_build_object(
               'slug', coalesce(carried -> 'slug', to_jsonb(search.slug_of(doc ->> 'nome_servico', id, 8))),
               'slug_history', coalesce(carried -> 'slug_history', '[]')),
           carried - ARRAY['slug', 'slug_history']
$$;

CREATE FUNCTION search.v3_reverse(id uuid, doc jsonb, carried jsonb) RETURNS search.divided LANGUAGE sql IMMUTABLE AS $$
    SELECT doc - ARRAY['slug', 'slug_history'],
           carried
           || CASE WHEN doc ->> 'slug' = search.slug_of(doc ->> 'nome_servico', id, 8) THEN '{}'
                   ELSE jsonb_build_object('slug', doc -> 'slug') END
           || CASE WHEN doc -> 'slug_history' = '[]' THEN '{}'
                   ELSE jsonb_build_object('slug_history', doc -> 'slug_history') END
$$;

-- Derived columns so far are those that the staff lists filter and sort by. The folded texts and the two tsvectors come
-- with the public search, as a version of their own and a rebuild.
DO $$
DECLARE
    v1_fields  text[] := ARRAY[
        'nome_servico', 'orgao_gestor', 'resumo', 'tempo_atendimento', 'custo_servico', 'resultado_solicitacao',
        'descricao_completa', 'documentos_necessarios', 'instrucoes_solicitante', 'canais_digitais',
        'canais_presenciais', 'servico_nao_cobre', 'legislacao_relacionada', 'tema_geral', 'publico_especifico',
        'fixar_destaque', 'awaiting_approval', 'published_at', 'is_free', 'agents', 'extra_fields', 'status',
        'buttons', 'autor', 'id', 'created_at', 'last_update', 'search_content', 'resumo_plaintext',
        'resultado_solicitacao_plaintext', 'descricao_completa_plaintext', 'instrucoes_solicitante_plaintext',
        'documentos_necessarios_plaintext'];
    v1_columns text := $columns$
        status int GENERATED ALWAYS AS ((doc ->> 'status')::int) STORED,
        awaiting_approval boolean GENERATED ALWAYS AS ((doc ->> 'awaiting_approval')::boolean) STORED,
        tema_geral text GENERATED ALWAYS AS (doc ->> 'tema_geral') STORED,
        last_update timestamptz GENERATED ALWAYS AS (to_timestamp((doc ->> 'last_update')::float8)) STORED$columns$;
    v2_column  text := ', sub_categoria text GENERATED ALWAYS AS (doc ->> ''sub_categoria'') STORED';
    v3_column  text := ', slug text GENERATED ALWAYS AS (doc ->> ''slug'') STORED UNIQUE';
BEGIN
    INSERT INTO search.schema_versions (version, position, fields, columns, indexes, forward, reverse) VALUES
        ('v1', 1, v1_fields, v1_columns, ARRAY['(last_update, id)', '(status, tema_geral)'], NULL, NULL),
        ('v2', 2, v1_fields || 'sub_categoria'::text, v1_columns || v2_column,
         ARRAY['(last_update, id)', '(status, tema_geral, sub_categoria)'], 'v2_forward', 'v2_reverse'),
        ('v3', 3, v1_fields || ARRAY['sub_categoria', 'slug', 'slug_history'], v1_columns || v2_column || v3_column,
         ARRAY['(last_update, id)', '(status, tema_geral, sub_categoria)'], 'v3_forward', 'v3_reverse');
END $$;

-- One row taken from one schema version to another, step by step. Reading takes it to the form of the programs,
-- writing takes it from there.
CREATE FUNCTION search.step(
    id uuid, INOUT doc jsonb, INOUT carried jsonb, from_version text, to_version text
) LANGUAGE plpgsql STABLE AS $$
DECLARE
    origin int := (SELECT position FROM search.schema_versions WHERE version = from_version);
    goal   int := (SELECT position FROM search.schema_versions WHERE version = to_version);
    chosen text;
BEGIN
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

-- Every physical table that exists. `fold_revision` 0: this table has no folded column yet.
CREATE TABLE search.physical_tables (
    name           text PRIMARY KEY CHECK (name ~ '^services_v[0-9]{1,4}_[0-9]{8}_[0-9]{6}(_[0-9]+)?$'),
    schema_version text NOT NULL REFERENCES search.schema_versions,
    fold_revision  int NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT ON search.physical_tables TO balcao_app;

CREATE TABLE search.search_collection (
    name           text PRIMARY KEY CHECK (name = 'services'),
    physical       text NOT NULL REFERENCES search.physical_tables,
    mirror         text REFERENCES search.physical_tables CHECK (mirror <> physical),
    schema_version text NOT NULL REFERENCES search.schema_versions,
    fold_revision  int NOT NULL,
    generation     int NOT NULL DEFAULT 1
);
GRANT SELECT, UPDATE ON search.search_collection TO balcao_app;

-- Rows that a step could not take over: of a mirrored write (which itself goes on), or of a copy.
CREATE TABLE search.search_migration_errors (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    physical_table text NOT NULL,
    service_id     uuid NOT NULL,
    field          text,
    reason         text NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX search_migration_errors_table ON search.search_migration_errors (physical_table);
GRANT SELECT, INSERT ON search.search_migration_errors TO balcao_app;

-- Every physical table has this trigger from its birth: DDL on a table in use would stop writers. It acts only while
-- its table is the active one and has a mirror, so a mirrored write goes no further (4.4, step 3).
CREATE FUNCTION search.mirror_row() RETURNS trigger LANGUAGE plpgsql AS $$
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
    EXCEPTION WHEN OTHERS THEN  -- a migration never fails a writer (4.4, step 10)
        INSERT INTO search.search_migration_errors (physical_table, service_id, reason)
        VALUES (active.mirror, coalesce(NEW.id, OLD.id), 'SQLSTATE ' || SQLSTATE);
    END;
    RETURN NULL;
END $$;

-- Services open their connections under a role that owns nothing: what needs DDL is a function of the owner's.
-- No foreign key to service_head: adding one would lock the heads, and so every writer.
CREATE FUNCTION search.create_physical(wanted text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
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
    INSERT INTO search.physical_tables (name, schema_version) VALUES (chosen, wanted);
    RETURN chosen;
END $$;

-- Drops a table that nobody reads any more; answers false, and leaves it, while it is active or a mirror.
CREATE FUNCTION search.drop_physical(unused text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
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

-- Takes every row of the active table to a target; a row that cannot be taken is noted and left out.
CREATE FUNCTION search.copy_rows(source text, target text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    origin text := (SELECT schema_version FROM search.physical_tables WHERE name = source);
    goal   text := (SELECT schema_version FROM search.physical_tables WHERE name = target);
    next   record;
    copied int := 0;
BEGIN
    FOR next IN EXECUTE format('SELECT id, doc, carried, version FROM search.%I ORDER BY id', source) LOOP
        BEGIN
            EXECUTE format('INSERT INTO search.%I (id, doc, carried, version)'
                           ' SELECT $1, stepped.doc, stepped.carried, $4'
                           ' FROM search.step($1, $2, $3, $5, $6) AS stepped', target)
                USING next.id, next.doc, next.carried, next.version, origin, goal;
            copied := copied + 1;
        EXCEPTION WHEN OTHERS THEN
            INSERT INTO search.search_migration_errors (physical_table, service_id, reason)
            VALUES (target, next.id, 'SQLSTATE ' || SQLSTATE);
        END;
    END LOOP;
    RETURN copied;
END $$;

-- The ids that differ between forward(source) and target, or do not come back by the reverse steps (4.4, step 6).
CREATE FUNCTION search.differing_rows(source text, target text) RETURNS SETOF uuid LANGUAGE plpgsql STABLE AS $$
DECLARE
    origin text := (SELECT schema_version FROM search.physical_tables WHERE name = source);
    goal   text := (SELECT schema_version FROM search.physical_tables WHERE name = target);
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT coalesce(old.id, new.id) FROM search.%I AS old'
        ' FULL JOIN search.%I AS new ON new.id = old.id'
        ' LEFT JOIN LATERAL search.step(old.id, old.doc, old.carried, $1, $2) AS forth ON old.id IS NOT NULL'
        ' LEFT JOIN LATERAL search.step(new.id, new.doc, new.carried, $2, $1) AS back ON new.id IS NOT NULL'
        ' WHERE (new.doc, new.carried, new.version) IS DISTINCT FROM (forth.doc, forth.carried, old.version)'
        '    OR (old.doc, old.carried) IS DISTINCT FROM (back.doc, back.carried)'
        ' ORDER BY 1', source, target) USING origin, goal;
END $$;

-- A collection that never held a service may begin with another schema version than the newest.
CREATE FUNCTION search.begin_with(wanted text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
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

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA search FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search TO balcao_app;
