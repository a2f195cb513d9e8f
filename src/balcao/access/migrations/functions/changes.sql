-- How changes reach the processes: a new version is announced, and triggers insert each changed item into `change`.

-- Increase the version by one, and notify every process at the commit. Return the new version. The update locks the
-- catalogue's row, so transactions that change the catalogue run one after the other.
CREATE OR REPLACE FUNCTION access.raise_version() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    raised bigint;
BEGIN
    UPDATE access.catalogue_version SET version = version + 1, changed_at = now() RETURNING version INTO raised;
    PERFORM pg_notify('balcao_access', raised::text);
    RETURN raised;
END $$;

-- Insert a changed item into `change`. The arguments of the trigger are its kind, and the column that contains its id.
--
-- Lock: the catalogue is locked before the row gets its number, so that the numbers follow the order of commits.
CREATE OR REPLACE FUNCTION access.note_item() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
BEGIN
    PERFORM 1 FROM access.catalogue_version FOR UPDATE;
    INSERT INTO access.change (kind, item) VALUES (TG_ARGV[0], (changed ->> TG_ARGV[1])::bigint);
    RETURN NULL;
END $$;

-- Insert the people whose groups or roles a statement changed into `change`, each once. The lock is the same.
CREATE OR REPLACE FUNCTION access.note_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM access.catalogue_version FOR UPDATE;
    INSERT INTO access.change (kind, item) SELECT DISTINCT 'person', person_id FROM touched;
    RETURN NULL;
END $$;

GRANT EXECUTE ON FUNCTION access.raise_version, access.note_item, access.note_people TO balcao_app;

CREATE OR REPLACE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, code_key ON access.action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('action', 'id');
CREATE OR REPLACE TRIGGER note_description AFTER UPDATE OF description ON access.action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('action', 'id');
CREATE OR REPLACE TRIGGER note_item
    AFTER INSERT OR DELETE OR UPDATE OF operation_key, service, guard, method, path_pattern, action_id, retired_at
    ON access.endpoint_mapping
    FOR EACH ROW EXECUTE FUNCTION access.note_item('mapping', 'id');
CREATE OR REPLACE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, administrative ON access.role
    FOR EACH ROW EXECUTE FUNCTION access.note_item('role', 'id');
CREATE OR REPLACE TRIGGER note_item AFTER INSERT OR DELETE ON access.role_action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('role', 'role_id');
CREATE OR REPLACE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, attributes ON access.grp
    FOR EACH ROW EXECUTE FUNCTION access.note_item('group', 'id');
CREATE OR REPLACE TRIGGER note_item AFTER INSERT OR DELETE ON access.group_role
    FOR EACH ROW EXECUTE FUNCTION access.note_item('group', 'group_id');

-- One call for each statement, because a group can gain or lose thousands of people in one.
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON access.membership REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON access.membership REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE OR REPLACE TRIGGER note_new AFTER INSERT ON access.person_role REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE OR REPLACE TRIGGER note_gone AFTER DELETE ON access.person_role REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
