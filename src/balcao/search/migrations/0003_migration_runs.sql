-- Runs of schema migrations and of their rollbacks, every state guarded here (search document, 3.6 and 4.5).
CREATE TABLE search.search_migrations (
    id                      uuid PRIMARY KEY,
    collection              text NOT NULL DEFAULT 'services' REFERENCES search.search_collection,
    kind                    text NOT NULL CHECK (kind IN ('migration', 'rollback')),
    status                  text NOT NULL CHECK (status IN ('in_progress', 'completed', 'failed', 'rollback')),
    phase                   text NOT NULL CHECK (phase IN
        ('preparing', 'back_fill', 'indexing', 'verifying', 'switching', 'done')),
    schema_version          text NOT NULL REFERENCES search.schema_versions,
    previous_schema_version text NOT NULL REFERENCES search.schema_versions,
    source_collection       text NOT NULL,
    target_collection       text NOT NULL,
    backup_collection       text NOT NULL DEFAULT '',
    started_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at            timestamptz,
    started_by              text NOT NULL,
    reason                  text CHECK (char_length(reason) <= 2000),
    total_documents         int NOT NULL DEFAULT 0,
    migrated_documents      int NOT NULL DEFAULT 0,
    progress                int NOT NULL DEFAULT 0 CHECK (progress BETWEEN 0 AND 100),
    error_message           text NOT NULL DEFAULT '',
    rolled_back_by          uuid UNIQUE REFERENCES search.search_migrations,
    rollback_until          timestamptz,
    -- Of the online method: where the copy stands, and who may go on with it.
    last_key                uuid,
    lease_until             timestamptz,
    worker_id               text,
    fence                   int NOT NULL DEFAULT 0,
    resumes                 int NOT NULL DEFAULT 0,
    verification            jsonb,
    control_queries         jsonb,
    CHECK ((kind = 'rollback') = (status = 'rollback')),
    CHECK ((status = 'in_progress') = (completed_at IS NULL)),
    CHECK (status <> 'completed' OR (progress = 100 AND backup_collection <> '' AND rollback_until IS NOT NULL)),
    CHECK (rolled_back_by IS NULL OR status = 'completed')
);
CREATE UNIQUE INDEX search_migrations_running ON search.search_migrations (collection) WHERE status = 'in_progress';
CREATE INDEX search_migrations_newest ON search.search_migrations (started_at DESC, id DESC);
GRANT SELECT, INSERT, UPDATE ON search.search_migrations TO balcao_app;

CREATE FUNCTION search.guard_run() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        IF NEW.status NOT IN ('in_progress', 'rollback') THEN
            RAISE EXCEPTION 'a run begins in_progress, or is a finished rollback' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF OLD.status = 'in_progress' THEN
        IF NEW.progress < OLD.progress OR NEW.fence < OLD.fence OR NEW.status = 'rollback' THEN
            RAISE EXCEPTION 'a run never goes back' USING ERRCODE = 'check_violation';
        END IF;
    ELSIF to_jsonb(NEW) - ARRAY['rolled_back_by', 'rollback_until'] <> to_jsonb(OLD) - ARRAY['rolled_back_by', 'rollback_until']
       OR (OLD.rolled_back_by IS NOT NULL AND NEW.rolled_back_by IS DISTINCT FROM OLD.rolled_back_by) THEN
        RAISE EXCEPTION 'a finished run is history' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER guard_run BEFORE INSERT OR UPDATE ON search.search_migrations
    FOR EACH ROW EXECUTE FUNCTION search.guard_run();

-- New installations begin with the newest schema version.
SELECT search.begin_with('v3');
