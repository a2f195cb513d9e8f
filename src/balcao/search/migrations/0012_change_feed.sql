-- The change feed for other systems (search rules, 2.5): of every service that was ever published, where its last change
-- stands in the order of commits. What the service is now is read from the collection.
CREATE TABLE search.feed_entries (
    service_id uuid PRIMARY KEY REFERENCES search.service_head,
    position   bigint NOT NULL UNIQUE,
    published  boolean NOT NULL,
    changed_at timestamptz NOT NULL
);
CREATE SEQUENCE search.feed_position OWNED BY search.feed_entries.position;
GRANT SELECT, INSERT, UPDATE ON search.feed_entries TO balcao_app;
GRANT USAGE ON SEQUENCE search.feed_position TO balcao_app;

-- Runs when the change commits, and the lock is held until the commit is visible: a reader never sees a position before
-- a lower one that is still to come. The notice of every change makes commits wait for one another in the same way, so
-- this costs no further concurrency.
CREATE FUNCTION search.enter_feed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    is_published boolean := NEW.change_type <> 'delete' AND NEW.snapshot ->> 'status' = '1';
BEGIN
    IF NOT is_published AND NOT EXISTS (
        SELECT FROM search.feed_entries WHERE service_id = NEW.service_id AND published) THEN
        RETURN NULL;  -- a draft stays unknown
    END IF;
    PERFORM pg_advisory_xact_lock(hashtextextended('search.change_feed', 0));
    INSERT INTO search.feed_entries (service_id, position, published, changed_at)
    VALUES (NEW.service_id, nextval('search.feed_position'), is_published, NEW.created_at)
    ON CONFLICT (service_id) DO UPDATE
    SET position = excluded.position, published = excluded.published, changed_at = excluded.changed_at;
    RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER enter_feed AFTER INSERT ON search.service_versions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION search.enter_feed();
REVOKE EXECUTE ON FUNCTION search.enter_feed() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION search.enter_feed() TO balcao_app;

-- What was published before, in the order of the last changes.
INSERT INTO search.feed_entries (service_id, position, published, changed_at)
SELECT service_id, nextval('search.feed_position'), true, created_at
FROM (SELECT DISTINCT ON (service_id) service_id, created_at, change_type, snapshot
      FROM search.service_versions ORDER BY service_id, version_number DESC) AS newest
WHERE change_type <> 'delete' AND snapshot ->> 'status' = '1'
ORDER BY created_at, service_id;
