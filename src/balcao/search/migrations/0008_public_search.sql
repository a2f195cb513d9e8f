-- What the public search keeps beside the collection (search document, 3.4, 4.6 and 5).

-- Answers 200 of the reads of one service, by day; nothing of who read.
CREATE TABLE search.service_views (
    service_id uuid NOT NULL REFERENCES search.service_head,
    day        date NOT NULL,
    views      int NOT NULL CHECK (views > 0),
    PRIMARY KEY (day, service_id)
);
GRANT SELECT, INSERT, UPDATE ON search.service_views TO balcao_app;

-- Made of the views every night. `weight` is what the percentile comes from, `recent` the views of 30 days.
CREATE TABLE search.service_popularity (
    service_id uuid PRIMARY KEY REFERENCES search.service_head,
    percentile real NOT NULL CHECK (percentile BETWEEN 0 AND 1),
    weight     real NOT NULL,
    recent     int NOT NULL
);
CREATE INDEX service_popularity_order ON search.service_popularity (percentile DESC, service_id);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_popularity TO balcao_app;

-- The words of published services as they are written, for "did you mean" and for words of which only a part is typed.
CREATE TABLE search.known_words (
    word     text PRIMARY KEY,
    folded   text NOT NULL,
    lexeme   text NOT NULL,
    services int NOT NULL
);
CREATE INDEX known_words_lexeme ON search.known_words (lexeme);
CREATE INDEX known_words_prefix ON search.known_words (folded text_pattern_ops);
CREATE INDEX known_words_similar ON search.known_words USING gin (folded public.gin_trgm_ops);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.known_words TO balcao_app;

-- Queries that found nothing, without what could be a person's: shown once they were asked five times.
CREATE TABLE search.zero_results (
    folded text NOT NULL CHECK (char_length(folded) BETWEEN 1 AND 400),
    day    date NOT NULL,
    times  int NOT NULL CHECK (times > 0),
    PRIMARY KEY (day, folded)
);
GRANT SELECT, INSERT, UPDATE ON search.zero_results TO balcao_app;

-- Groups of terms that stand for one another in a query.
CREATE TABLE search.synonyms (
    id         uuid PRIMARY KEY,
    terms      text[] NOT NULL CHECK (cardinality(terms) BETWEEN 2 AND 20),
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    updated_by text NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.synonyms TO balcao_app;

-- The queries that are run on both tables before a schema migration switches (4.4, step 6).
CREATE TABLE search.control_queries (
    position int PRIMARY KEY CHECK (position BETWEEN 1 AND 200),
    query    text NOT NULL UNIQUE CHECK (char_length(query) BETWEEN 1 AND 200)
);
GRANT SELECT, INSERT, DELETE ON search.control_queries TO balcao_app;

-- A name is like a query from this similarity on. A setting of the function, because no session keeps one.
CREATE FUNCTION search.similar_names(physical text, folded text) RETURNS SETOF uuid
LANGUAGE plpgsql STABLE SET pg_trgm.word_similarity_threshold = 0.42 AS $$
BEGIN
    RETURN QUERY EXECUTE format('SELECT id FROM search.%I WHERE $1 OPERATOR(public.<%%) nome_fold', physical) USING folded;
END $$;

-- A switch, a new popularity and new synonyms change answers as a changed service does.
CREATE TRIGGER announce_change AFTER UPDATE ON search.search_collection
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.synonyms
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.service_popularity
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();

-- The words of some texts: each text's pieces as `search.fold` leaves them, in their order, with the lexeme of each.
CREATE FUNCTION search.words_of(texts text[]) RETURNS TABLE (text text, folded text, lexeme text)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT given.text, split.word, (tsvector_to_array(search.lexemes(split.word)))[1]
    FROM unnest(texts) WITH ORDINALITY AS given (text, place),
         string_to_table(search.fold(given.text), ' ') WITH ORDINALITY AS split (word, at)
    WHERE split.word <> ''
    ORDER BY given.place, split.at
$$;

REVOKE EXECUTE ON FUNCTION search.similar_names(text, text), search.words_of(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.similar_names(text, text), search.words_of(text[]) TO balcao_app;
