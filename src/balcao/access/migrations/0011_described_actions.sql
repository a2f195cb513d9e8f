-- Processes know the descriptions of actions: a caller's own rights and explained decisions show them (rules: access
-- 2.3, 2.4).
CREATE TRIGGER note_description AFTER UPDATE OF description ON access.action
    FOR EACH ROW EXECUTE FUNCTION access.note_item('action', 'id');

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
