-- The public search reads a derived index (rules: search 4.6). Each host's index follows the changes of the catalogue: of
-- every service, drafts too, where its last change stands in the order of commits.
CREATE TABLE search.index_changes (
    service_id uuid PRIMARY KEY,
    position   bigint NOT NULL UNIQUE,
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE SEQUENCE search.index_position OWNED BY search.index_changes.position;
GRANT SELECT, INSERT, UPDATE ON search.index_changes TO balcao_app;
GRANT USAGE ON SEQUENCE search.index_position TO balcao_app;

-- How citizens ask for a service, in their own words.
CREATE TABLE search.service_phrases (
    service_id uuid PRIMARY KEY REFERENCES search.service_head,
    phrases    text[] NOT NULL CHECK (cardinality(phrases) BETWEEN 1 AND 50),
    updated_at timestamptz NOT NULL,
    updated_by text NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.service_phrases TO balcao_app;
CREATE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.service_phrases
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();

-- Runs when the change commits. The lock is held until the commit is visible, so a reader never sees a position before a
-- lower one that is still to come. The notice of every change makes commits wait for one another in the same way, so
-- this costs no further concurrency.
CREATE FUNCTION search.enter_index_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.change_feed', 0));
    INSERT INTO search.index_changes (service_id, position) VALUES (changed, nextval('search.index_position'))
    ON CONFLICT (service_id) DO UPDATE SET position = excluded.position, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER enter_index_change AFTER INSERT ON search.service_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_index_change();
CREATE CONSTRAINT TRIGGER enter_index_change AFTER INSERT OR UPDATE OR DELETE ON search.service_phrases
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_index_change();

-- When the popularity of the services was last computed: each host then rebuilds its index.
ALTER TABLE search.search_collection ADD COLUMN ranked_at timestamptz;
