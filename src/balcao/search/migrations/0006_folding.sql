-- How texts and queries are folded before they are compared (search document, 4.6). Everything that compares words calls
-- these functions: the derived columns of the physical tables, the parsed query and the marks in highlights. Whoever
-- changes one of them, or the configuration below, raises `search.fold_revision()` and has the collection rebuilt.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

CREATE FUNCTION search.fold_revision() RETURNS int LANGUAGE sql IMMUTABLE PARALLEL SAFE AS 'SELECT 1';

-- The stemmer alone: no stop words of its own, because its list is accented and what comes here is not.
CREATE TEXT SEARCH DICTIONARY search.portuguese_stemmer (TEMPLATE = pg_catalog.snowball, LANGUAGE = portuguese);
CREATE TEXT SEARCH CONFIGURATION search.folded (PARSER = pg_catalog.default);
ALTER TEXT SEARCH CONFIGURATION search.folded
    ADD MAPPING FOR asciiword, word WITH search.portuguese_stemmer;
ALTER TEXT SEARCH CONFIGURATION search.folded
    ADD MAPPING FOR numword, int, uint, float, sfloat WITH pg_catalog.simple;

-- Signs that belong to a word: an ordinal loses its sign before the compatibility form makes a letter of it (2.ª, 2º),
-- a number its thousands point (1.204), an acronym its dots (I.P.T.U.).
CREATE FUNCTION search.join_signs(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT CASE WHEN numbered ~ '[A-Za-z]\.[A-Za-z]\.'
                THEN regexp_replace(numbered, '(?<![A-Za-z0-9])([A-Za-z])\.(?=[A-Za-z](?:\.|$))', '\1', 'g')
                ELSE numbered END
    FROM (SELECT CASE WHEN given ~ '[0-9]'
                      THEN regexp_replace(regexp_replace(given, '([0-9])\.?[ºª°]', '\1 ', 'g'),
                                          '([0-9])\.(?=[0-9]{3}(?![0-9]))', '\1', 'g')
                      ELSE given END) AS ordinals (numbered)
$$;

-- Lower case, without accents, words of letters and digits (of other scripts, too, but for signs and pictures) between two blanks each, so that a rule can ask for a whole
-- word (' mais ') or for its end ('oes ') by plain replacement, which is ten times faster than a regular expression.
-- Not `lower()` of the database's locale and not `unaccent`, whose rules come in a file: both differ between servers.
CREATE FUNCTION search.split_words(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT ' ' || btrim(regexp_replace(
        lower(regexp_replace(
            normalize(search.join_signs(given), NFKD),
            '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[^a-z0-9\u00df-\u00f6\u00f8-\u1fff\u3040-\ud7ff\uf900-\ufdff\U00020000-\U0003ffff]+', '  ', 'g')) || ' '
$$;

-- The canonical form of a text: its words in lower case, without accents, in the singular, one blank between them.
-- Idempotent. Words of up to three letters and words with a digit pass unchanged.
CREATE FUNCTION search.fold(given text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
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
    -- Endings, from what is written to what is kept, in this order.
    endings CONSTANT text[] := ARRAY[
        -- -ão has three plurals, and -m becomes -ns.
        'oes ', 'ao ', 'aes ', 'ao ', 'aos ', 'ao ', 'ans ', 'am ', 'ens ', 'em ', 'ins ', 'im ', 'ons ', 'om ', 'uns ', 'um ',
        -- -l is lost in the plural; -éis and -eis do not tell whether the singular has -el or -il, so both become one.
        'ais ', 'al ', 'eis ', 'el ', 'ois ', 'ol ', 'uis ', 'ul ', 'is ', 'el ', 'il ', 'el ',
        -- Words whose plural adds a syllable.
        'teses ', 'tese ', 'eses ', 'es ', 'ares ', 'ar ', 'eres ', 'er ', 'ires ', 'ir ', 'ores ', 'or ', 'ures ', 'ur ',
        'azes ', 'az ', 'ezes ', 'ez ', 'izes ', 'iz ', 'ozes ', 'oz ', 'uzes ', 'uz ',
        -- And all the others.
        'as ', 'a ', 'es ', 'e ', 'os ', 'o '];
    words    text := search.split_words(given);
    numbered CONSTANT boolean := words ~ '[0-9]';
BEGIN
    IF numbered THEN  -- "2a via" and "2 via" are one
        words := regexp_replace(words, ' ([0-9]{1,3})(?:o|a|os|as) ', ' \1 ', 'g');
    END IF;
    -- A dot behind a word keeps the endings' rules away from it.
    SELECT ' ' || string_agg(
               CASE WHEN length(word) <= 3 OR (numbered AND word ~ '[0-9]') THEN word || '.'
                    WHEN irregular ? word THEN (irregular ->> word) || '.'
                    ELSE word END, '  ') || ' '
    INTO words FROM string_to_table(btrim(words), '  ') AS split (word) WHERE word <> '';
    FOR rule IN 1 .. array_length(endings, 1) BY 2 LOOP
        words := replace(words, endings[rule], endings[rule + 1]);
    END LOOP;
    RETURN coalesce(btrim(replace(replace(words, '. ', ' '), '  ', ' ')), '');
END $$;

-- The words that say something of what is looked for: the folded ones without those of a list that is folded, too.
CREATE FUNCTION search.drop_stop_words(folded text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(string_agg(word, ' '), '') FROM string_to_table(folded, ' ') AS words (word)
    WHERE word NOT IN (
        'a', 'ao', 'aos', 'aquela', 'aquele', 'aquilo', 'as', 'ate', 'cada', 'com', 'como', 'da', 'das', 'de', 'dela', 'dele',
        'do', 'dos', 'e', 'ela', 'ele', 'em', 'entre', 'era', 'essa', 'esse', 'esta', 'estao', 'estar', 'este', 'eu', 'foi',
        'for', 'ha', 'isso', 'isto', 'ja', 'la', 'lhe', 'mais', 'mas', 'me', 'mesma', 'mesmo', 'meu', 'meus', 'minha', 'muito',
        'na', 'nao', 'nas', 'nem', 'no', 'nos', 'nossa', 'nosso', 'num', 'numa', 'o', 'onde', 'os', 'ou', 'para', 'pela',
        'pelo', 'por', 'pra', 'pro', 'qual', 'quando', 'quanto', 'que', 'quem', 'sao', 'se', 'seja', 'sem', 'ser', 'sera',
        'seu', 'seus', 'so', 'sob', 'sobre', 'sua', 'suas', 'tambem', 'te', 'tem', 'ter', 'teu', 'tua', 'um', 'uma', 'voce',
        'vos')
$$;

-- The lexemes that are compared: the folded words without stop words, stemmed. The stemmer looks for accented endings.
CREATE FUNCTION search.lexemes(given text) RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT to_tsvector('search.folded', replace(replace(replace(replace(replace(
        search.drop_stop_words(search.fold(given)) || ' ',
        'cao ', 'ção '), 'encia ', 'ência '), 'ancia ', 'ância '), 'avel ', 'ável '), 'ivel ', 'ível '))
$$;

-- A name as it is compared with another name: categories, subcategories, organs, audiences (1, conventions).
CREATE FUNCTION search.fold_label(given text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(replace(search.split_words(given), '  ', ' '))
$$;

CREATE FUNCTION search.fold_labels(given text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(search.fold_label(label) ORDER BY place), '{}')
    FROM unnest(given) WITH ORDINALITY AS labels (label, place)
$$;

CREATE FUNCTION search.texts_of(list jsonb) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(item ORDER BY place), '{}')
    FROM jsonb_array_elements_text(CASE WHEN jsonb_typeof(list) = 'array' THEN list ELSE '[]' END)
        WITH ORDINALITY AS items (item, place)
$$;

-- A vector holds a megabyte at most, so each weight class gives its first 20,000 characters.
CREATE FUNCTION search.weigh(given text, weight "char") RETURNS tsvector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT setweight(search.lexemes(left(given, 20000)), weight)
$$;

-- A row's service: a member that the table's schema version does not know is in `carried`.
CREATE FUNCTION search.head_of(doc jsonb, carried jsonb) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT search.weigh(service ->> 'nome_servico', 'A')
        || search.weigh(concat_ws(E'\n', service ->> 'tema_geral', service ->> 'sub_categoria',
                                  service ->> 'resumo_plaintext'), 'B')
    FROM (SELECT carried || doc AS service) AS whole
$$;

CREATE FUNCTION search.full_of(doc jsonb, carried jsonb) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT search.head_of(doc, carried)
        || search.weigh(concat_ws(E'\n', array_to_string(search.texts_of(doc -> 'publico_especifico'), E'\n'),
                                  doc ->> 'descricao_completa_plaintext'), 'C')
        || search.weigh(concat_ws(E'\n', array_to_string(search.texts_of(doc -> 'documentos_necessarios_plaintext'), E'\n'),
                                  doc ->> 'instrucoes_solicitante_plaintext',
                                  array_to_string(search.texts_of(doc -> 'legislacao_relacionada'), E'\n')), 'D')
$$;

-- What every physical table has besides its row: what is filtered, sorted, counted and searched. Texts that people read
-- stay beside their folded form, because the long document is not read for a list or a count.
DO $$
DECLARE
    derived text := $columns$
        status int GENERATED ALWAYS AS ((doc ->> 'status')::int) STORED,
        awaiting_approval boolean GENERATED ALWAYS AS ((doc ->> 'awaiting_approval')::boolean) STORED,
        is_free boolean GENERATED ALWAYS AS ((doc ->> 'is_free')::boolean) STORED,
        exclusive boolean GENERATED ALWAYS AS
            (coalesce((doc -> 'agents' ->> 'exclusive_for_agents')::boolean, false)) STORED,
        fixar_destaque boolean GENERATED ALWAYS AS (coalesce((doc ->> 'fixar_destaque')::boolean, false)) STORED,
        last_update timestamptz GENERATED ALWAYS AS (to_timestamp((doc ->> 'last_update')::float8)) STORED,
        tema_geral text GENERATED ALWAYS AS (doc ->> 'tema_geral') STORED,
        tema_fold text GENERATED ALWAYS AS (search.fold_label(doc ->> 'tema_geral')) STORED,
        sub_categoria text GENERATED ALWAYS AS ((carried || doc) ->> 'sub_categoria') STORED,
        sub_fold text GENERATED ALWAYS AS (search.fold_label((carried || doc) ->> 'sub_categoria')) STORED,
        orgao_gestor text[] GENERATED ALWAYS AS (search.texts_of(doc -> 'orgao_gestor')) STORED,
        orgao_fold text[] GENERATED ALWAYS AS (search.fold_labels(search.texts_of(doc -> 'orgao_gestor'))) STORED,
        publico text[] GENERATED ALWAYS AS (search.texts_of(doc -> 'publico_especifico')) STORED,
        publico_fold text[] GENERATED ALWAYS AS (search.fold_labels(search.texts_of(doc -> 'publico_especifico'))) STORED,
        nome_fold text GENERATED ALWAYS AS (search.fold(doc ->> 'nome_servico')) STORED,
        head tsvector GENERATED ALWAYS AS (search.head_of(doc, carried)) STORED,
        "full" tsvector GENERATED ALWAYS AS (search.full_of(doc, carried)) STORED$columns$;
BEGIN
    UPDATE search.schema_versions SET
        fold_revision = search.fold_revision(),
        columns = derived || CASE WHEN fields @> '{slug}'
                                  THEN ', slug text GENERATED ALWAYS AS (doc ->> ''slug'') STORED UNIQUE' ELSE '' END,
        -- GIN without a pending list: every search would go through it, and one writer in many would empty it for all.
        indexes = ARRAY['USING gin (head) WITH (fastupdate = off)', 'USING gin ("full") WITH (fastupdate = off)',
                        'USING gin (nome_fold public.gin_trgm_ops) WITH (fastupdate = off)',
                        '(status, tema_fold, sub_fold)', '(last_update, id)'];
END $$;
ALTER TABLE search.schema_versions ALTER COLUMN fold_revision SET DEFAULT search.fold_revision();

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA search FROM PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA search TO balcao_app;
REVOKE EXECUTE ON FUNCTION search.rebuild FROM balcao_app;

SELECT search.rebuild();
