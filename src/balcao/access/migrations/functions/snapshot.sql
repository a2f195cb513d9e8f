-- The catalogue as the processes copy it (rules: access 4.5).

-- Return the ids of the items of a kind: those that changed after `place`, or all of them if `place` is null. For
-- people only changes are returned; `snapshot_people` returns all of them.
CREATE OR REPLACE FUNCTION access.wanted(of_kind text, place bigint) RETURNS SETOF bigint LANGUAGE plpgsql STABLE ROWS 20 AS $$
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

-- Return what changed after `place`, or null if `known` is the current version. A deleted item is null. `whole` is set
-- if the result contains the whole catalogue without the people: for a process that has no copy (`known` is 0), or
-- whose copy is too old.
CREATE OR REPLACE FUNCTION access.snapshot_since(known bigint, place bigint) RETURNS json LANGUAGE plpgsql STABLE AS $$
DECLARE
    present access.catalogue_version;
    reached bigint;
BEGIN
    SELECT * INTO present FROM access.catalogue_version;
    IF present.version = known THEN
        RETURN NULL;
    END IF;
    SELECT greatest(max(id), present.forgotten) INTO reached FROM access.change;
    -- Return the whole catalogue if retention has deleted some of the changes; if there are so many that single items
    -- would be no faster; or if a person was deleted, because people are reported by their CPF, which is then unknown.
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
                'id', id, 'key', coalesce(code_key, '#' || id), 'name', name, 'description', description) END), '{}')
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

-- Return everyone who has a group or a role. A row contains the CPFs of the people with the same groups and roles,
-- eight bytes for each, which is much smaller than a row for each person.
CREATE OR REPLACE FUNCTION access.snapshot_people() RETURNS TABLE (groups bigint[], roles bigint[], people bytea)
LANGUAGE sql STABLE AS $$
    WITH joined AS (
        SELECT person_id, array_agg(group_id ORDER BY group_id) AS groups FROM access.membership GROUP BY person_id),
    direct AS (
        SELECT person_id, array_agg(role_id ORDER BY role_id) AS roles FROM access.person_role GROUP BY person_id)
    SELECT coalesce(groups, '{}'), coalesce(roles, '{}'), string_agg(int8send(cpf::bigint), '')
    FROM joined FULL JOIN direct USING (person_id) JOIN access.person ON person.id = person_id
    GROUP BY 1, 2
$$;

GRANT EXECUTE ON FUNCTION access.wanted, access.snapshot_since, access.snapshot_people TO balcao_app;
