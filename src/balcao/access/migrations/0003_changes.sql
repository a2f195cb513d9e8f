-- What changed, one row per item: a process asks for what came after the last row it knows and reads nothing else.
-- Written under the catalogue's lock, so that the numbers grow in the order of the commits. Retention removes old rows
-- and notes the last of them: a process that knows less than that reads the catalogue as a whole.
CREATE TABLE access.change (
    id   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('action', 'mapping', 'role', 'group', 'person')),
    item bigint NOT NULL,
    at   timestamptz NOT NULL DEFAULT now()
);
ALTER TABLE access.catalogue_version ADD COLUMN forgotten bigint NOT NULL DEFAULT 0;
GRANT SELECT, INSERT ON access.change TO balcao_app;

-- Notes one item; the arguments are its kind and the column with its id.
CREATE FUNCTION access.note_item() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    changed jsonb := to_jsonb(CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END);
BEGIN
    PERFORM 1 FROM access.catalogue_version FOR UPDATE;
    INSERT INTO access.change (kind, item) VALUES (TG_ARGV[0], (changed ->> TG_ARGV[1])::bigint);
    RETURN NULL;
END $$;

-- Notes everybody whose groups or roles a statement changed.
CREATE FUNCTION access.note_people() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM access.catalogue_version FOR UPDATE;
    INSERT INTO access.change (kind, item) SELECT DISTINCT 'person', person_id FROM touched;
    RETURN NULL;
END $$;

CREATE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, code_key ON access.action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('action', 'id');
CREATE TRIGGER note_item
    AFTER INSERT OR DELETE OR UPDATE OF operation_key, service, guard, method, path_pattern, action_id, retired_at
    ON access.endpoint_mapping
    FOR EACH ROW EXECUTE FUNCTION access.note_item('mapping', 'id');
CREATE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, administrative ON access.role
    FOR EACH ROW EXECUTE FUNCTION access.note_item('role', 'id');
CREATE TRIGGER note_item AFTER INSERT OR DELETE ON access.role_action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('role', 'role_id');
CREATE TRIGGER note_item AFTER INSERT OR DELETE OR UPDATE OF name, attributes ON access.grp
    FOR EACH ROW EXECUTE FUNCTION access.note_item('group', 'id');
CREATE TRIGGER note_item AFTER INSERT OR DELETE ON access.group_role
    FOR EACH ROW EXECUTE FUNCTION access.note_item('group', 'group_id');
CREATE TRIGGER note_new AFTER INSERT ON access.membership REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE TRIGGER note_gone AFTER DELETE ON access.membership REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE TRIGGER note_new AFTER INSERT ON access.person_role REFERENCING NEW TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();
CREATE TRIGGER note_gone AFTER DELETE ON access.person_role REFERENCING OLD TABLE AS touched
    FOR EACH STATEMENT EXECUTE FUNCTION access.note_people();

-- The items of a kind that a process needs: those that changed after `place`, or all of them where it is null.
CREATE FUNCTION access.wanted(of_kind text, place bigint) RETURNS SETOF bigint LANGUAGE plpgsql STABLE ROWS 20 AS $$
BEGIN
    IF place IS NOT NULL THEN
        RETURN QUERY SELECT DISTINCT item FROM access.change WHERE id > place AND kind = of_kind;
    ELSIF of_kind = 'action' THEN
        RETURN QUERY SELECT id FROM access.action;
    ELSIF of_kind = 'mapping' THEN
        RETURN QUERY SELECT id FROM access.endpoint_mapping WHERE retired_at IS NULL;
    ELSIF of_kind = 'role' THEN
        RETURN QUERY SELECT id FROM access.role;
    ELSIF of_kind = 'group' THEN
        RETURN QUERY SELECT id FROM access.grp;
    END IF;
END $$;

-- What changed after `place`, or null when `known` is the present version. An item that is gone is null. `whole` says
-- that it is everything, apart from the people: for a process that knows nothing (`known` is 0) or too little.
DROP FUNCTION access.snapshot_since(bigint);
CREATE FUNCTION access.snapshot_since(known bigint, place bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
    present access.catalogue_version;
    reached bigint;
BEGIN
    SELECT * INTO present FROM access.catalogue_version;
    IF present.version = known THEN
        RETURN NULL;
    END IF;
    SELECT greatest(max(id), present.forgotten) INTO reached FROM access.change;
    -- Of somebody who was removed nobody knows the number any more; and very many changes are no faster one by one.
    IF known = 0 OR place < present.forgotten
       OR (SELECT count(*) > 20000 FROM (SELECT FROM access.change WHERE id > place LIMIT 20001) AS counted)
       OR EXISTS (SELECT FROM access.wanted('person', place) AS item
                  WHERE NOT EXISTS (SELECT FROM access.person WHERE person.id = item)) THEN
        place := NULL;
    END IF;
    RETURN json_build_object(
        'version', present.version,
        'position', coalesce(reached, 0),
        'whole', place IS NULL,
        'actions', (
            SELECT coalesce(json_object_agg(item, CASE WHEN id IS NOT NULL THEN json_build_object(
                'id', id, 'key', coalesce(code_key, '#' || id), 'name', name) END), '{}')
            FROM access.wanted('action', place) AS item LEFT JOIN access.action ON id = item),
        'mappings', (
            SELECT coalesce(json_object_agg(item, CASE WHEN id IS NOT NULL THEN json_build_object(
                'id', id, 'method', method, 'path_pattern', path_pattern, 'action_id', action_id, 'service', service,
                'operation', operation_key, 'guard', guard) END), '{}')
            FROM access.wanted('mapping', place) AS item
            LEFT JOIN access.endpoint_mapping ON id = item AND retired_at IS NULL),
        'roles', (
            SELECT coalesce(json_object_agg(item, CASE WHEN role.id IS NOT NULL THEN json_build_object(
                'id', role.id, 'name', role.name, 'administrative', administrative,
                'actions', ARRAY(
                    SELECT coalesce(code_key, '#' || action.id)
                    FROM access.role_action JOIN access.action ON action.id = action_id
                    WHERE role_id = role.id)) END), '{}')
            FROM access.wanted('role', place) AS item LEFT JOIN access.role ON role.id = item),
        'groups', (
            SELECT coalesce(json_object_agg(item, CASE WHEN grp.id IS NOT NULL THEN json_build_object(
                'id', grp.id, 'name', grp.name, 'attributes', attributes,
                'roles', ARRAY(SELECT role_id FROM access.group_role WHERE group_id = grp.id ORDER BY role_id)) END),
                '{}')
            FROM access.wanted('group', place) AS item LEFT JOIN access.grp ON grp.id = item),
        'people', (
            SELECT coalesce(json_object_agg(cpf, json_build_object(
                'groups', ARRAY(SELECT group_id FROM access.membership WHERE person_id = id ORDER BY group_id),
                'roles', ARRAY(SELECT role_id FROM access.person_role WHERE person_id = id ORDER BY role_id))), '{}')
            FROM access.wanted('person', place) AS item JOIN access.person ON id = item));
END $$;

-- Everybody with a group or a role: the numbers of those who have the same ones, eight bytes each.
CREATE FUNCTION access.snapshot_people() RETURNS TABLE (groups bigint[], roles bigint[], people bytea)
LANGUAGE sql STABLE AS $$
    WITH joined AS (
        SELECT person_id, array_agg(group_id ORDER BY group_id) AS groups FROM access.membership GROUP BY person_id),
    direct AS (
        SELECT person_id, array_agg(role_id ORDER BY role_id) AS roles FROM access.person_role GROUP BY person_id)
    SELECT coalesce(groups, '{}'), coalesce(roles, '{}'), string_agg(int8send(cpf::bigint), '')
    FROM joined FULL JOIN direct USING (person_id) JOIN access.person ON person.id = person_id
    GROUP BY 1, 2
$$;

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA access TO balcao_app;
