-- The counted queries (rules: search 5): beside how often a query found nothing (`times`), how often it found something
-- (`answered`) and how often a citizen opened a service from its results (`opened`). The former release counts only
-- `times`, and reads only sums of them.
ALTER TABLE search.zero_results
    ADD COLUMN answered int NOT NULL DEFAULT 0 CHECK (answered >= 0),
    ADD COLUMN opened   int NOT NULL DEFAULT 0 CHECK (opened >= 0),
    DROP CONSTRAINT zero_results_times_check,
    ADD CONSTRAINT zero_results_times_check CHECK (times >= 0);
-- For the list of queries that found nothing, which is a small part of the table.
CREATE INDEX zero_results_missed ON search.zero_results (folded) WHERE times > 0;
-- To know whether the portal reports openings.
CREATE INDEX zero_results_opened ON search.zero_results (day) WHERE opened > 0;

-- The phrases as folded queries are compared with them.
ALTER TABLE search.service_phrases
    ADD COLUMN folded text[] GENERATED ALWAYS AS (search.fold_labels(phrases)) STORED;
CREATE INDEX service_phrases_folded ON search.service_phrases USING gin (folded) WITH (fastupdate = off);
