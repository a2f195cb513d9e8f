-- The services that a control query should find (rules: search 2.5). A service may be deleted later.
ALTER TABLE search.control_queries
    ADD COLUMN expected uuid[] NOT NULL DEFAULT '{}' CHECK (cardinality(expected) <= 10);
