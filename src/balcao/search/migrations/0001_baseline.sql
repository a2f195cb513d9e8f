-- The service catalogue: services and their versions, the collection that stores them, and what helps to find them.
-- `functions/` contains the other functions of this schema. 0002 contains the rows that every installation starts with.
CREATE SCHEMA search;
GRANT USAGE ON SCHEMA search TO balcao_app;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- Folding: the form in which texts are compared (rules: search 4.6). The database stores folded texts, so these functions
-- are here and not in `functions/`. A numbered migration that changes a result also raises `fold_revision` and calls
-- `rebuild`. `search.fold` is only for the list for staff. The public search folds texts in Python.

CREATE FUNCTION search.fold_revision() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$SELECT 1$$;

-- Remove signs that separate the parts of one word: the sign of an ordinal (2.ª, 2º), the points between thousands (1.204)
-- and those of an acronym (I.P.T.U.). The ordinal comes first, because NFKD would turn its sign into a letter.
CREATE FUNCTION search.join_signs(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    IF given ~ '[0-9]' THEN
        given := regexp_replace(regexp_replace(given, '([0-9])\.?[ºª°]', '\1 ', 'g'),
                                '([0-9])\.(?=[0-9]{3}(?![0-9]))', '\1', 'g');
    END IF;
    IF given ~ '[A-Za-z]\.[A-Za-z]\.' THEN
        given := regexp_replace(given, '(?<![A-Za-z0-9])([A-Za-z])\.(?=[A-Za-z](?:\.|$))', '\1', 'g');
    END IF;
    RETURN given;
END $$;

-- Return the text in lower case and without accents. This uses neither the database's locale nor the extension `unaccent`,
-- because both can differ between servers.
CREATE FUNCTION search.plain_letters(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    given := search.join_signs(given);
    IF octet_length(given) > length(given) THEN
        given := regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g');
    END IF;
    RETURN lower(given COLLATE "C");
END $$;

-- Return the words of a text, with two blanks between them and one at each end. A word consists of letters of any script
-- and digits.
CREATE FUNCTION search.split_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ' ' || btrim(regexp_replace(
        search.plain_letters(given),
        '[^a-z0-9\u00df-\u00f6\u00f8-\u1fff\u3040-\ud7ff\uf900-\ufdff\U00020000-\U0003ffff]+', '  ', 'g')) || ' '
$$;

-- Return the form in which names are compared: of categories, organs, audiences and people.
CREATE FUNCTION search.fold_label(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(replace(search.split_words(given), '  ', ' '))
$$;

CREATE FUNCTION search.fold_labels(given text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(search.fold_label(label) ORDER BY place), '{}')
    FROM unnest(given) WITH ORDINALITY AS labels (label, place)
$$;

-- Return the words of a text in the singular, with one blank between them. Folding the result again does not change it.
-- Words of up to three letters and words with a digit do not change.
CREATE FUNCTION search.fold(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    -- Words that only look like a plural, acronyms, irregular plurals, written ordinals that are not also a day or a
    -- fraction, and feminines in -ã, which no ending shows after their accent is removed.
    irregular CONSTANT jsonb := '{
        "mais": "mais", "demais": "demais", "jamais": "jamais", "cais": "cais", "pais": "pais", "paises": "pais",
        "dois": "dois", "duas": "dois", "depois": "depois", "pois": "pois", "seis": "seis", "tres": "tres",
        "lapis": "lapis", "gratis": "gratis", "tenis": "tenis", "onibus": "onibus", "antes": "antes",
        "simples": "simples", "atras": "atras", "apenas": "apenas", "menos": "menos",
        "cras": "cras", "creas": "creas", "caps": "caps", "inss": "inss", "icms": "icms",
        "leis": "lei", "reis": "rei", "bois": "boi", "taxis": "taxi", "juris": "juri", "abacaxis": "abacaxi",
        "maes": "mae", "meses": "mes", "gases": "gas", "males": "mal", "hectares": "hectare", "nus": "nu",
        "primeiro": "1", "primeira": "1", "primeiros": "1", "primeiras": "1", "segundo": "2", "segunda": "2",
        "segundos": "2", "segundas": "2", "terceiro": "3", "terceira": "3", "terceiros": "3", "terceiras": "3",
        "irma": "irmao", "irmas": "irmao", "cidada": "cidadao", "cidadas": "cidadao", "orfa": "orfao", "orfas": "orfao",
        "artesa": "artesao", "artesas": "artesao", "alema": "alemao", "alemas": "alemao", "ancia": "anciao",
        "ancias": "anciao", "campea": "campeao", "campeas": "campeao", "crista": "cristao", "cristas": "cristao"}'::jsonb;
    -- Two blanks between words, and more where the text had signs next to blanks.
    words    text := ' ' || regexp_replace(
        replace(replace(replace(search.plain_letters(given), ' ', '  '), '.', '  '), ',', '  '),
        '[^ a-z0-9\u00df-\u00f6\u00f8-\u1fff\u3040-\ud7ff\uf900-\ufdff\U00020000-\U0003ffff]+', '  ', 'g') || ' ';
    numbered CONSTANT boolean := words ~ '[0-9]';
BEGIN
    IF numbered THEN  -- "2a via" and "2 via" are one
        words := regexp_replace(words, ' ([0-9]{1,3})(?:o|a|os|as) ', ' \1 ', 'g');
    END IF;
    SELECT string_agg(
        CASE WHEN length(word) <= 3 OR (numbered AND word <> translate(word, '0123456789', '')) THEN word
             ELSE coalesce(irregular ->> word, CASE right(word, 2)
                 -- -ão has three plurals, and -m becomes -ns.
                 WHEN 'es' THEN CASE
                     WHEN right(word, 3) IN ('oes', 'aes') THEN left(word, -3) || 'ao'
                     -- Plurals that add a syllable.
                     WHEN right(word, 5) = 'teses' THEN left(word, -1)
                     WHEN right(word, 4) = 'eses' THEN left(word, CASE WHEN right(word, 6) ~ '^[aeiou][rz]' THEN -4 ELSE -3 END)
                     WHEN right(word, 4) IN ('ares', 'eres', 'ires', 'ores', 'ures', 'azes', 'ezes', 'izes', 'ozes', 'uzes')
                     THEN left(word, -2)
                     ELSE left(word, -1) END
                 WHEN 'ns' THEN CASE WHEN right(word, 3) IN ('ans', 'ens', 'ins', 'ons', 'uns') THEN left(word, -2) || 'm'
                                     ELSE word END
                 -- The plural drops the -l. -éis and -eis do not show whether the singular ends in -el or -il, so
                 -- both become -el.
                 WHEN 'is' THEN CASE WHEN right(word, 3) IN ('ais', 'eis', 'ois', 'uis') THEN left(word, -2) || 'l'
                                     ELSE left(word, -2) || 'el' END
                 WHEN 'il' THEN left(word, -2) || 'el'
                 -- All other plurals.
                 WHEN 'as' THEN left(word, -1)
                 WHEN 'os' THEN left(word, -1)
                 ELSE word END) END, ' ')
    INTO words FROM string_to_table(btrim(words), '  ') AS split (word) WHERE word <> '';
    RETURN coalesce(words, '');
END $$;

REVOKE EXECUTE ON FUNCTION search.fold_revision, search.join_signs, search.plain_letters, search.split_words,
    search.fold_label, search.fold_labels, search.fold FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.fold_revision, search.join_signs, search.plain_letters, search.split_words,
    search.fold_label, search.fold_labels, search.fold TO balcao_app;

-- Services: what remains of each service, whatever table of the collection stores it (rules: search 3.2 to 3.4, 3.7).

-- One row for each service that ever existed. Each writer of a service locks its row, so the version numbers have no gap.
CREATE TABLE search.service_head (
    id           uuid        PRIMARY KEY,
    next_version int         NOT NULL DEFAULT 1 CHECK (next_version >= 1),
    created_at   timestamptz NOT NULL,
    deleted_at   timestamptz
);
GRANT SELECT, INSERT, UPDATE ON search.service_head TO balcao_app;

-- The address of a service: one current slug and its former ones. Rows are never deleted, and no slug is ever given to
-- another service.
CREATE TABLE search.service_slugs (
    slug       text    PRIMARY KEY,
    service_id uuid    NOT NULL REFERENCES search.service_head,
    current    boolean NOT NULL
);
CREATE UNIQUE INDEX service_slugs_current ON search.service_slugs (service_id) WHERE current;
GRANT SELECT, INSERT, UPDATE (current) ON search.service_slugs TO balcao_app;

-- Every state that a service had. The services may only insert.
CREATE TABLE search.service_versions (
    id                  uuid        PRIMARY KEY,
    service_id          uuid        NOT NULL REFERENCES search.service_head,
    version_number      int         NOT NULL CHECK (version_number >= 1),
    created_at          timestamptz NOT NULL,
    created_by          text        NOT NULL,
    created_by_sub      text        NOT NULL,
    created_by_cpf      text        CHECK (created_by_cpf ~ '^\*{3}\.\d{3}\.\d{3}-\*{2}$'),
    change_type         text        NOT NULL CHECK (change_type IN
        ('create', 'update', 'publish', 'unpublish', 'delete', 'rollback')),
    change_reason       text        CHECK (char_length(change_reason) <= 20000),
    proposed_by         text,
    previous_version    int,
    is_rollback         boolean     NOT NULL DEFAULT false,
    rollback_to_version int,
    snapshot            jsonb       NOT NULL,
    CONSTRAINT service_versions_number UNIQUE (service_id, version_number),
    CHECK (is_rollback = (change_type = 'rollback') AND is_rollback = (rollback_to_version IS NOT NULL))
);
COMMENT ON COLUMN search.service_versions.created_by_cpf IS 'masked';
COMMENT ON COLUMN search.service_versions.proposed_by IS 'the author of the proposal that this version published';
COMMENT ON COLUMN search.service_versions.snapshot IS 'all editable members, the slug and search_content';
GRANT SELECT, INSERT ON search.service_versions TO balcao_app;

-- Changes of published services that still need to be published. There is no foreign key to `service_head`, because heads
-- are never deleted.
CREATE TABLE search.service_proposals (
    id                uuid        PRIMARY KEY,
    service_id        uuid        NOT NULL,
    base_version      int         NOT NULL CHECK (base_version >= 1),
    revision          int         NOT NULL DEFAULT 1 CHECK (revision >= 1),
    awaiting_approval boolean     NOT NULL,
    content           jsonb       NOT NULL,
    changed_fields    text[]      NOT NULL CHECK (cardinality(changed_fields) >= 1),
    change_reason     text        CHECK (char_length(change_reason) BETWEEN 3 AND 500),
    created_at        timestamptz NOT NULL DEFAULT now(),
    created_by        text        NOT NULL,
    created_by_sub    text        NOT NULL,
    updated_at        timestamptz NOT NULL DEFAULT now(),
    updated_by        text        NOT NULL,
    returned_at       timestamptz,
    returned_by       text,
    returned_reason   text        CHECK (char_length(returned_reason) BETWEEN 3 AND 500),
    CHECK ((returned_at IS NULL) = (returned_by IS NULL) AND (returned_at IS NULL) = (returned_reason IS NULL))
);
CREATE INDEX service_proposals_service ON search.service_proposals (service_id, updated_at, id);
CREATE INDEX service_proposals_author ON search.service_proposals (created_by_sub);
CREATE INDEX service_proposals_order ON search.service_proposals (updated_at, id);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_proposals TO balcao_app;

-- Schema versions: the forms in which the collection can store a service (rules: search 3.5). A version is a row of
-- `schema_versions` and two functions. One numbered migration adds all three, so the functions are not in `functions/`.

-- A service as a version stores it: `doc` has the members of the version, and `carried` all other members.
CREATE TYPE search.divided AS (doc jsonb, carried jsonb);

-- `columns` and `indexes` are SQL for CREATE TABLE and CREATE INDEX. `forward` and `reverse` name the two steps: functions
-- from (id, doc, carried) to `divided` that convert a service from the previous version and back.
CREATE TABLE search.schema_versions (
    version       text   PRIMARY KEY CHECK (version ~ '^v[0-9]{1,4}$'),
    position      int    NOT NULL UNIQUE CHECK (position >= 1),
    fields        text[] NOT NULL,
    optional      text[] NOT NULL DEFAULT '{}',
    columns       text   NOT NULL,
    indexes       text[] NOT NULL,
    fold_revision int    NOT NULL DEFAULT search.fold_revision() CHECK (fold_revision >= 0),
    forward       text,
    reverse       text,
    CHECK ((position = 1) = (forward IS NULL) AND (position = 1) = (reverse IS NULL))
);
COMMENT ON COLUMN search.schema_versions.fields IS 'the members of doc';
COMMENT ON COLUMN search.schema_versions.optional IS 'further members, which doc has only if they are set';
GRANT SELECT ON search.schema_versions TO balcao_app;

-- Reject a version whose steps do not exist or are not immutable. A step that reads a table could convert the same row
-- differently during the copy and in the mirror.
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

-- Return the slug of a service: the words of its name, and the first `id_length` characters of its id (rules: search 4.3).
CREATE FUNCTION search.slug_of(name text, id uuid, id_length int) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
    words text := btrim(regexp_replace(lower(regexp_replace(normalize(name, NFKD), '[\u0300-\u036f]', '', 'g'))
                                       COLLATE "C", '[^a-z0-9]+', '-', 'g'), '-');
BEGIN
    IF length(words) > 50 THEN
        words := regexp_replace(left(words, 50), '-[^-]*$', '');
    END IF;
    RETURN CASE WHEN words = '' THEN '' ELSE words || '-' END || left(id::text, id_length);
END $$;

-- The steps are exact inverses: reverse(forward(row)) is the row, and so is forward(reverse(row)). For this reason a
-- reverse step does not carry a value that the forward step would compute again.

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

-- The first six columns are generated. `derive_row` fills the others. `tema_geral`, `sub_categoria` and `orgao_gestor` are
-- also stored as people wrote them, so that lists and counts do not read the long document.
-- Indexes: the first one finds names by a part of a word. With a pending list, about thirty writes share the work of
-- updating it, and 64 kB limit what a reader has to scan. The others are orders of the list for staff. Only `published_at`
-- can be null, and nulls come last in both directions.
DO $$
DECLARE
    v1_fields text[] := ARRAY[
        'nome_servico', 'orgao_gestor', 'resumo', 'tempo_atendimento', 'custo_servico', 'resultado_solicitacao',
        'descricao_completa', 'documentos_necessarios', 'instrucoes_solicitante', 'canais_digitais',
        'canais_presenciais', 'servico_nao_cobre', 'legislacao_relacionada', 'tema_geral', 'publico_especifico',
        'fixar_destaque', 'awaiting_approval', 'published_at', 'is_free', 'agents', 'extra_fields', 'status',
        'buttons', 'autor', 'id', 'created_at', 'last_update', 'search_content', 'resumo_plaintext',
        'resultado_solicitacao_plaintext', 'descricao_completa_plaintext', 'instrucoes_solicitante_plaintext',
        'documentos_necessarios_plaintext'];
    optional  text[] := ARRAY['custo', 'prazo'];
    columns   text := $columns$
        status            int         GENERATED ALWAYS AS ((doc ->> 'status')::int) STORED,
        awaiting_approval boolean     GENERATED ALWAYS AS ((doc ->> 'awaiting_approval')::boolean) STORED,
        is_free           boolean     GENERATED ALWAYS AS ((doc ->> 'is_free')::boolean) STORED,
        exclusive         boolean     GENERATED ALWAYS AS
            (coalesce((doc -> 'agents' ->> 'exclusive_for_agents')::boolean, false)) STORED,
        last_update       timestamptz GENERATED ALWAYS AS (to_timestamp((doc ->> 'last_update')::float8)) STORED,
        tema_geral        text        GENERATED ALWAYS AS (doc ->> 'tema_geral') STORED,
        tema_fold         text,
        sub_categoria     text,
        sub_fold          text,
        orgao_gestor      text[],
        orgao_fold        text[],
        publico_fold      text[],
        nome_fold         text$columns$;
    indexes   text[] := ARRAY[
        'USING gin (nome_fold public.gin_trgm_ops) WITH (fastupdate = on, gin_pending_list_limit = 64)',
        '(status, tema_fold, sub_fold)',
        '(last_update, id)',
        '(((doc ->> ''created_at'')::bigint), id)',
        '(((doc ->> ''published_at'')::bigint), id)',
        '(((doc ->> ''published_at'')::bigint) DESC NULLS LAST, id DESC)'];
    slug      text := ', slug text GENERATED ALWAYS AS (doc ->> ''slug'') STORED UNIQUE';
BEGIN
    INSERT INTO search.schema_versions (version, position, fields, optional, columns, indexes, forward, reverse) VALUES
        ('v1', 1, v1_fields, optional, columns, indexes, NULL, NULL),
        ('v2', 2, v1_fields || 'sub_categoria'::text, optional, columns, indexes, 'v2_forward', 'v2_reverse'),
        ('v3', 3, v1_fields || ARRAY['sub_categoria', 'slug', 'slug_history'], optional, columns || slug, indexes,
         'v3_forward', 'v3_reverse');
END $$;

-- Return the texts of a JSON array, or an empty array for any other value.
CREATE FUNCTION search.texts_of(list jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(item ORDER BY place), '{}')
    FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(list) = 'array' THEN list ELSE '[]' END)
        WITH ORDINALITY AS items (item, place)
$$;

-- Fill the derived columns of a row. A trigger does this, because a generated column cannot use another generated column,
-- and would therefore fold the same text again.
CREATE FUNCTION search.derive_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.tema_fold := search.fold_label(NEW.doc ->> 'tema_geral');
    -- In v1, `carried` contains this member.
    NEW.sub_categoria := CASE WHEN NEW.doc ? 'sub_categoria' THEN NEW.doc ELSE NEW.carried END ->> 'sub_categoria';
    NEW.sub_fold := search.fold_label(NEW.sub_categoria);
    NEW.orgao_gestor := search.texts_of(NEW.doc -> 'orgao_gestor');
    NEW.orgao_fold := search.fold_labels(NEW.orgao_gestor);
    NEW.publico_fold := search.fold_labels(search.texts_of(NEW.doc -> 'publico_especifico'));
    NEW.nome_fold := search.fold(NEW.doc ->> 'nome_servico');
    RETURN NEW;
END $$;

REVOKE EXECUTE ON FUNCTION search.check_steps, search.slug_of, search.v2_forward, search.v2_reverse, search.v3_forward,
    search.v3_reverse, search.texts_of, search.derive_row FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.check_steps, search.slug_of, search.v2_forward, search.v2_reverse, search.v3_forward,
    search.v3_reverse, search.texts_of, search.derive_row TO balcao_app;

-- The collection `services`: physical tables, the alias row that names the active one, and migrations between them
-- (rules: search 3.2, 3.6, 4.4).

-- The physical tables that exist. `functions/physical_tables.sql` creates and drops them.
CREATE TABLE search.physical_tables (
    name           text        PRIMARY KEY CHECK (name ~ '^services_v[0-9]{1,4}_[0-9]{8}_[0-9]{6}(_[0-9]+)?$'),
    schema_version text        NOT NULL REFERENCES search.schema_versions,
    fold_revision  int         NOT NULL DEFAULT 0,
    created_at     timestamptz NOT NULL DEFAULT now(),
    drop_after     timestamptz
);
COMMENT ON COLUMN search.physical_tables.fold_revision IS 'of the folding that filled the columns';
COMMENT ON COLUMN search.physical_tables.drop_after IS 'set when the table is no longer needed';
GRANT SELECT, UPDATE (drop_after) ON search.physical_tables TO balcao_app;

-- The alias row. Readers and writers use the table `physical`. Each write is also applied to `mirror` if there is one.
CREATE TABLE search.search_collection (
    name           text PRIMARY KEY CHECK (name = 'services'),
    physical       text NOT NULL REFERENCES search.physical_tables,
    mirror         text REFERENCES search.physical_tables CHECK (mirror <> physical),
    schema_version text NOT NULL REFERENCES search.schema_versions,
    fold_revision  int  NOT NULL,
    generation     int  NOT NULL DEFAULT 1,
    ranked_at      timestamptz
);
COMMENT ON COLUMN search.search_collection.generation IS 'counts the changes of the active table';
COMMENT ON COLUMN search.search_collection.ranked_at IS 'when the popularity was computed; the indexes are then rebuilt';
GRANT SELECT, UPDATE ON search.search_collection TO balcao_app;

-- Migrations of the collection and their rollbacks. `guard_run` rejects wrong changes of the state (rules: search 4.5).
CREATE TABLE search.search_migrations (
    id                      uuid        PRIMARY KEY,
    collection              text        NOT NULL DEFAULT 'services' REFERENCES search.search_collection,
    kind                    text        NOT NULL CHECK (kind IN ('migration', 'rollback')),
    status                  text        NOT NULL CHECK (status IN ('in_progress', 'completed', 'failed', 'rollback')),
    phase                   text        NOT NULL CHECK (phase IN
        ('preparing', 'back_fill', 'indexing', 'verifying', 'switching', 'done')),
    schema_version          text        NOT NULL REFERENCES search.schema_versions,
    previous_schema_version text        NOT NULL REFERENCES search.schema_versions,
    source_collection       text        NOT NULL,
    target_collection       text        NOT NULL,
    backup_collection       text        NOT NULL DEFAULT '',
    started_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at            timestamptz,
    started_by              text        NOT NULL,
    reason                  text        CHECK (char_length(reason) <= 2000),
    total_documents         int         NOT NULL DEFAULT 0,
    migrated_documents      int         NOT NULL DEFAULT 0,
    progress                int         NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    error_message           text        NOT NULL DEFAULT '',
    rolled_back_by          uuid        UNIQUE REFERENCES search.search_migrations,
    rollback_until          timestamptz,
    last_key                uuid,
    lease_until             timestamptz,
    worker_id               text,
    fence                   int         NOT NULL DEFAULT 0,
    resumes                 int         NOT NULL DEFAULT 0,
    verification            jsonb,
    control_queries         jsonb,
    CHECK ((kind = 'rollback') = (status = 'rollback')),
    CHECK ((status = 'in_progress') = (completed_at IS NULL)),
    CHECK (status <> 'completed' OR (progress = 100 AND backup_collection <> '' AND rollback_until IS NOT NULL)),
    CHECK (rolled_back_by IS NULL OR status = 'completed'),
    CHECK (phase <> 'done' OR status <> 'in_progress')
);
COMMENT ON COLUMN search.search_migrations.last_key IS 'the last service that was copied';
COMMENT ON COLUMN search.search_migrations.lease_until IS 'another worker may claim the run after this time';
COMMENT ON COLUMN search.search_migrations.fence IS 'grows with each claim, so that the former worker cannot commit';
COMMENT ON COLUMN search.search_migrations.resumes IS 'claims since the last progress';
CREATE UNIQUE INDEX search_migrations_running ON search.search_migrations (collection) WHERE status = 'in_progress';
CREATE INDEX search_migrations_newest ON search.search_migrations (started_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON search.search_migrations TO balcao_app;

-- Services that could not be written to a table, by a copy or by the mirror. The write that was mirrored still commits.
CREATE TABLE search.search_migration_errors (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    physical_table text        NOT NULL,
    service_id     uuid        NOT NULL,
    field          text,
    reason         text        NOT NULL,
    at             timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX search_migration_errors_table ON search.search_migration_errors (physical_table);
GRANT SELECT, INSERT ON search.search_migration_errors TO balcao_app;

-- Changes in the order of commits. Both lists contain one row for each service, with the position of its last change.

-- The change feed for other systems: services that are or were published (rules: search 2.5).
CREATE TABLE search.feed_entries (
    service_id uuid        PRIMARY KEY REFERENCES search.service_head,
    position   bigint      NOT NULL UNIQUE,
    published  boolean     NOT NULL,
    changed_at timestamptz NOT NULL
);
CREATE SEQUENCE search.feed_position OWNED BY search.feed_entries.position;
GRANT SELECT, INSERT, UPDATE ON search.feed_entries TO balcao_app;
GRANT USAGE ON SEQUENCE search.feed_position TO balcao_app;

-- The changes that each host's search index follows: all services, including drafts (rules: search 4.6).
CREATE TABLE search.index_changes (
    service_id uuid        PRIMARY KEY,
    position   bigint      NOT NULL UNIQUE,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE SEQUENCE search.index_position OWNED BY search.index_changes.position;
GRANT SELECT, INSERT, UPDATE ON search.index_changes TO balcao_app;
GRANT USAGE ON SEQUENCE search.index_position TO balcao_app;

-- What staff maintain next to the services.

-- The order of the categories. The category of a service is free text. One without a row here is listed with the seed 0.
CREATE TABLE search.categories (
    fold            text    PRIMARY KEY CHECK (fold <> ''),
    name            text    NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    popularity_seed int     NOT NULL CHECK (popularity_seed >= 0),
    active          boolean NOT NULL DEFAULT true,
    CHECK (fold = search.fold_label(name))
);
GRANT SELECT, INSERT, UPDATE ON search.categories TO balcao_app;

-- How citizens ask for a service, in their own words. `folded` is compared with folded queries.
CREATE TABLE search.service_phrases (
    service_id uuid        PRIMARY KEY REFERENCES search.service_head,
    phrases    text[]      NOT NULL CHECK (cardinality(phrases) BETWEEN 1 AND 50),
    updated_at timestamptz NOT NULL,
    updated_by text        NOT NULL,
    folded     text[]      GENERATED ALWAYS AS (search.fold_labels(phrases)) STORED
);
-- Without a pending list, because the index is read far more often than phrases change.
CREATE INDEX service_phrases_folded ON search.service_phrases USING gin (folded) WITH (fastupdate = off);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_phrases TO balcao_app;

-- Groups of terms that mean the same in a query.
CREATE TABLE search.synonyms (
    id         uuid        PRIMARY KEY,
    terms      text[]      NOT NULL CHECK (cardinality(terms) BETWEEN 2 AND 20),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    updated_by text        NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.synonyms TO balcao_app;

-- Queries that show how good the search is. A migration also runs them on both tables before it switches.
CREATE TABLE search.control_queries (
    position int    PRIMARY KEY CHECK (position BETWEEN 1 AND 200),
    query    text   NOT NULL UNIQUE CHECK (char_length(query) BETWEEN 1 AND 200),
    expected uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(expected) <= 10)
);
COMMENT ON COLUMN search.control_queries.expected IS 'services that the query should find; they may have been deleted';
GRANT SELECT, INSERT, DELETE ON search.control_queries TO balcao_app;

-- The old systems whose service numbers are mapped, in the order of the list. Each start adds those of the configuration.
CREATE TABLE search.legacy_sources (
    name     text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 100),
    position int  GENERATED ALWAYS AS IDENTITY
);
GRANT SELECT, INSERT ON search.legacy_sources TO balcao_app;

-- The service that replaced a service of an old system (rules: search 4.7).
CREATE TABLE search.tombamentos (
    id                uuid        PRIMARY KEY,
    origem            text        NOT NULL REFERENCES search.legacy_sources,
    id_servico_antigo text        NOT NULL CHECK (char_length(id_servico_antigo) BETWEEN 1 AND 200),
    id_servico_novo   uuid        NOT NULL REFERENCES search.service_head,
    criado_em         timestamptz NOT NULL,
    criado_por        text        NOT NULL,
    observacoes       text        CHECK (char_length(observacoes) <= 20000),
    UNIQUE (origem, id_servico_antigo)
);
CREATE INDEX tombamentos_service ON search.tombamentos (id_servico_novo);
CREATE INDEX tombamentos_order ON search.tombamentos (criado_em DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.tombamentos TO balcao_app;

-- What citizens do, without any data about the citizens.

-- How often a service was read on each day.
CREATE TABLE search.service_views (
    service_id uuid NOT NULL REFERENCES search.service_head,
    day        date NOT NULL,
    views      int  NOT NULL CHECK (views > 0),
    PRIMARY KEY (day, service_id)
);
GRANT SELECT, INSERT, UPDATE ON search.service_views TO balcao_app;

-- Computed from the views every night.
CREATE TABLE search.service_popularity (
    service_id uuid PRIMARY KEY REFERENCES search.service_head,
    percentile real NOT NULL CHECK (percentile BETWEEN 0 AND 1),
    weight     real NOT NULL,
    recent     int  NOT NULL
);
COMMENT ON COLUMN search.service_popularity.percentile IS 'the rank of the weight among all services';
COMMENT ON COLUMN search.service_popularity.recent IS 'the views of 30 days';
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_popularity TO balcao_app;

-- Counted queries. Queries that may contain personal data are not stored.
CREATE TABLE search.zero_results (
    folded   text NOT NULL CHECK (char_length(folded) BETWEEN 1 AND 400),
    day      date NOT NULL,
    times    int  NOT NULL CHECK (times >= 0),
    answered int  NOT NULL DEFAULT 0 CHECK (answered >= 0),
    opened   int  NOT NULL DEFAULT 0 CHECK (opened >= 0),
    PRIMARY KEY (day, folded)
);
COMMENT ON COLUMN search.zero_results.times IS 'searches that found nothing';
COMMENT ON COLUMN search.zero_results.answered IS 'searches that found something';
COMMENT ON COLUMN search.zero_results.opened IS 'services opened from the results';
-- Few queries find nothing, so the index for their list is small.
CREATE INDEX zero_results_missed ON search.zero_results (folded) WHERE times > 0;
-- Shows whether the portal reports openings.
CREATE INDEX zero_results_opened ON search.zero_results (day) WHERE opened > 0;
GRANT SELECT, INSERT, UPDATE ON search.zero_results TO balcao_app;

-- Whether the page of a service helped (rules: search 2.7). `comments` limits the comments of a day without counting rows.
CREATE TABLE search.service_feedback_days (
    service_id  uuid NOT NULL REFERENCES search.service_head,
    day         date NOT NULL,
    helpful     int  NOT NULL CHECK (helpful >= 0),
    not_helpful int  NOT NULL CHECK (not_helpful >= 0),
    comments    int  NOT NULL CHECK (comments >= 0),
    PRIMARY KEY (service_id, day)
);
CREATE INDEX service_feedback_days_old ON search.service_feedback_days (day);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_feedback_days TO balcao_app;

CREATE TABLE search.service_feedback (
    id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
    service_id uuid        NOT NULL REFERENCES search.service_head,
    at         timestamptz NOT NULL DEFAULT now(),
    helpful    boolean     NOT NULL,
    comment    text        NOT NULL CHECK (char_length(comment) BETWEEN 1 AND 300)
);
CREATE INDEX service_feedback_newest ON search.service_feedback (service_id, at DESC, id DESC);
CREATE INDEX service_feedback_old ON search.service_feedback (at);
GRANT SELECT, INSERT, DELETE ON search.service_feedback TO balcao_app;
