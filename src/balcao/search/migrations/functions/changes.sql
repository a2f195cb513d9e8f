-- What happens when the catalogue changes: processes are notified, and the lists of changes get an entry.

-- Notify all processes that their cached answers and their index may be outdated. Every change of a service adds a version.
CREATE OR REPLACE FUNCTION search.announce_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('balcao_search', '');
    RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER announce_change AFTER INSERT ON search.service_versions
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE OR REPLACE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.service_phrases
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE OR REPLACE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.service_popularity
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE OR REPLACE TRIGGER announce_change AFTER INSERT OR UPDATE OR DELETE ON search.synonyms
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE OR REPLACE TRIGGER announce_change AFTER INSERT OR UPDATE ON search.categories
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
CREATE OR REPLACE TRIGGER announce_change AFTER UPDATE ON search.search_collection
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();

-- The two triggers below run at the commit. They hold the lock until the commit is visible, so no reader sees a position
-- before a lower one. This costs no concurrency, because commits that notify already wait for each other.

-- Add the change to the change feed. A service that was never published has no entry.
CREATE OR REPLACE FUNCTION search.enter_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_published boolean := NEW.change_type <> 'delete' AND NEW.snapshot ->> 'status' = '1';
BEGIN
    IF NOT is_published AND NOT EXISTS (
        SELECT FROM search.feed_entries WHERE service_id = NEW.service_id AND published) THEN
        RETURN NULL;  -- a draft is not in the feed
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('search.change_feed', 0));
    INSERT INTO search.feed_entries (service_id, position, published, changed_at)
    VALUES (NEW.service_id, nextval('search.feed_position'), is_published, NEW.created_at)
    ON CONFLICT (service_id) DO UPDATE
    SET position = excluded.position, published = excluded.published, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS enter_feed ON search.service_versions;
CREATE CONSTRAINT TRIGGER enter_feed AFTER INSERT ON search.service_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_feed();

-- Add the change to the list that the search indexes follow.
CREATE OR REPLACE FUNCTION search.enter_index_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed uuid := CASE WHEN TG_OP = 'DELETE' THEN OLD.service_id ELSE NEW.service_id END;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('search.change_feed', 0));
    INSERT INTO search.index_changes (service_id, position) VALUES (changed, nextval('search.index_position'))
    ON CONFLICT (service_id) DO UPDATE SET position = excluded.position, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
DROP TRIGGER IF EXISTS enter_index_change ON search.service_versions;
CREATE CONSTRAINT TRIGGER enter_index_change AFTER INSERT ON search.service_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_index_change();
DROP TRIGGER IF EXISTS enter_index_change ON search.service_phrases;
CREATE CONSTRAINT TRIGGER enter_index_change AFTER INSERT OR UPDATE OR DELETE ON search.service_phrases
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_index_change();

REVOKE EXECUTE ON FUNCTION search.announce_change, search.enter_feed, search.enter_index_change FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.announce_change, search.enter_feed, search.enter_index_change TO balcao_app;
