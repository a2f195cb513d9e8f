-- Texts are folded as before in less time, and a row's texts only once: what a row derives costs a third less, when it is
-- written and when a migration copies it. The results are the same, so `search.fold_revision()` stays (search document, 3.2,
-- 4.6).

CREATE OR REPLACE FUNCTION search.join_signs(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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

-- Lower case, without accents, with the signs that belong to a word joined to it.
CREATE FUNCTION search.plain_letters(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    given := search.join_signs(given);
    IF octet_length(given) > length(given) THEN
        given := regexp_replace(normalize(given, NFKD), '[\u0300-\u036f]+', '', 'g');
    END IF;
    RETURN lower(given COLLATE "C");
END $$;

CREATE OR REPLACE FUNCTION search.split_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ' ' || btrim(regexp_replace(
        search.plain_letters(given),
        '[^a-z0-9\u00df-\u00f6\u00f8-\u1fff\u3040-\ud7ff\uf900-\ufdff\U00020000-\U0003ffff]+', '  ', 'g')) || ' '
$$;

CREATE OR REPLACE FUNCTION search.fold(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
DECLARE
    -- Words that only look like a plural, acronyms, plurals that no rule makes, ordinals in words as far as they are not
    -- also a day or a fraction, and the feminine in -ã, which without its accent is like any other.
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
    -- Two blanks between words, and more where signs stand beside blanks.
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
                     -- Words whose plural adds a syllable.
                     WHEN right(word, 5) = 'teses' THEN left(word, -1)
                     WHEN right(word, 4) = 'eses' THEN left(word, CASE WHEN right(word, 6) ~ '^[aeiou][rz]' THEN -4 ELSE -3 END)
                     WHEN right(word, 4) IN ('ares', 'eres', 'ires', 'ores', 'ures', 'azes', 'ezes', 'izes', 'ozes', 'uzes')
                     THEN left(word, -2)
                     ELSE left(word, -1) END
                 WHEN 'ns' THEN CASE WHEN right(word, 3) IN ('ans', 'ens', 'ins', 'ons', 'uns') THEN left(word, -2) || 'm'
                                     ELSE word END
                 -- -l is lost in the plural; -éis and -eis do not tell whether the singular has -el or -il, so both
                 -- become one.
                 WHEN 'is' THEN CASE WHEN right(word, 3) IN ('ais', 'eis', 'ois', 'uis') THEN left(word, -2) || 'l'
                                     ELSE left(word, -2) || 'el' END
                 WHEN 'il' THEN left(word, -2) || 'el'
                 -- And all the others.
                 WHEN 'as' THEN left(word, -1)
                 WHEN 'os' THEN left(word, -1)
                 ELSE word END) END, ' ')
    INTO words FROM string_to_table(btrim(words), '  ') AS split (word) WHERE word <> '';
    RETURN coalesce(words, '');
END $$;

-- The lexemes of a folded text. The stemmer looks for accented endings.
CREATE FUNCTION search.stem_words(folded text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN to_tsvector('search.folded', replace(replace(replace(replace(replace(
        search.drop_stop_words(folded) || ' ',
        'cao ', 'ção '), 'encia ', 'ência '), 'ancia ', 'ância '), 'avel ', 'ável '), 'ivel ', 'ível '));
END $$;

CREATE OR REPLACE FUNCTION search.lexemes(given text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT search.stem_words(search.fold(given))
$$;

-- What a row of any physical table derives of its texts. The name is folded once for two columns, and what `head` holds
-- is the beginning of "full": generated columns cannot build on one another.
CREATE FUNCTION search.derive_row() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.tema_fold := search.fold_label(NEW.doc ->> 'tema_geral');
    -- A member that the table's schema version does not know is in `carried`.
    NEW.sub_categoria := CASE WHEN NEW.doc ? 'sub_categoria' THEN NEW.doc ELSE NEW.carried END ->> 'sub_categoria';
    NEW.sub_fold := search.fold_label(NEW.sub_categoria);
    NEW.orgao_gestor := search.texts_of(NEW.doc -> 'orgao_gestor');
    NEW.orgao_fold := search.fold_labels(NEW.orgao_gestor);
    NEW.publico := search.texts_of(NEW.doc -> 'publico_especifico');
    NEW.publico_fold := search.fold_labels(NEW.publico);
    NEW.nome_fold := search.fold(NEW.doc ->> 'nome_servico');
    NEW.head := setweight(search.stem_words(NEW.nome_fold), 'A')
        || search.weigh(concat_ws(E'\n', NEW.doc ->> 'tema_geral', NEW.sub_categoria, NEW.doc ->> 'resumo_plaintext'), 'B');
    NEW."full" := NEW.head
        || search.weigh(concat_ws(E'\n', array_to_string(NEW.publico, E'\n'),
                                  NEW.doc ->> 'descricao_completa_plaintext'), 'C')
        || search.weigh(concat_ws(E'\n', array_to_string(search.texts_of(NEW.doc -> 'documentos_necessarios_plaintext'), E'\n'),
                                  NEW.doc ->> 'instrucoes_solicitante_plaintext',
                                  array_to_string(search.texts_of(NEW.doc -> 'legislacao_relacionada'), E'\n')), 'D');
    RETURN NEW;
END $$;

-- The columns that the trigger fills stop being generated; what they hold is what it would fill in. `search.head_of` and
-- `search.full_of` are unused from here on.
DO $$
DECLARE
    filled CONSTANT text[] := ARRAY['tema_fold', 'sub_categoria', 'sub_fold', 'orgao_gestor', 'orgao_fold', 'publico',
                                    'publico_fold', 'nome_fold', 'head', 'full'];
    present text;
    each    text;
BEGIN
    UPDATE search.schema_versions
    SET columns = regexp_replace(columns, ' GENERATED ALWAYS AS [^\n]*?(?:search\.|carried)[^\n]*? STORED', '', 'g');
    FOR present IN SELECT name FROM search.physical_tables LOOP
        FOREACH each IN ARRAY filled LOOP
            EXECUTE format('ALTER TABLE search.%I ALTER COLUMN %I DROP EXPRESSION', present, each);
        END LOOP;
        EXECUTE format('CREATE TRIGGER derive BEFORE INSERT OR UPDATE ON search.%I'
                       ' FOR EACH ROW EXECUTE FUNCTION search.derive_row()', present);
    END LOOP;
END $$;

-- As before, with the trigger.
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
    EXECUTE format('CREATE TRIGGER derive BEFORE INSERT OR UPDATE ON search.%I'
                   ' FOR EACH ROW EXECUTE FUNCTION search.derive_row()', chosen);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON search.%I TO balcao_app', chosen);
    INSERT INTO search.physical_tables (name, schema_version, fold_revision) VALUES (chosen, wanted, shape.fold_revision);
    RETURN chosen;
END $$;

CREATE OR REPLACE FUNCTION search.create_rehearsal(wanted text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    shape search.schema_versions;
BEGIN
    SELECT * INTO STRICT shape FROM search.schema_versions WHERE version = wanted;
    EXECUTE format(
        'CREATE TEMPORARY TABLE rehearsal (id uuid PRIMARY KEY,'
        ' doc jsonb NOT NULL CHECK (doc ?& %L::text[] AND doc - %L::text[] = ''{}''),'
        ' carried jsonb NOT NULL, version int NOT NULL, %s) ON COMMIT DROP', shape.fields, shape.fields, shape.columns);
    CREATE TRIGGER derive BEFORE INSERT ON pg_temp.rehearsal
        FOR EACH ROW EXECUTE FUNCTION search.derive_row();
    GRANT INSERT, SELECT ON pg_temp.rehearsal TO balcao_app;
END $$;

GRANT EXECUTE ON FUNCTION search.plain_letters, search.stem_words, search.derive_row TO balcao_app;
