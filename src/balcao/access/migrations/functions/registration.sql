-- The registration of operations by starting processes (rules: access 3.6).

-- Return the id of the action with this code key. If there is none, create it. If a custom action already has the name,
-- the new action's name gets a suffix.
CREATE OR REPLACE FUNCTION access.declared_action(key text, text_for_people text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    found  bigint;
    label  text := key;
    suffix int := 1;
BEGIN
    SELECT id INTO found FROM access.action WHERE code_key = key;
    IF found IS NOT NULL THEN
        RETURN found;
    END IF;
    WHILE EXISTS (SELECT FROM access.action WHERE name = label) LOOP
        suffix := suffix + 1;
        label := key || '_' || suffix;
    END LOOP;
    INSERT INTO access.action (name, description, code_key, origin) VALUES (label, text_for_people, key, 'shipped')
    RETURNING id INTO found;
    RETURN found;
END $$;

-- Return whether an administrator's rebinding is not allowed by the floor that code now declares. Fixed operations
-- accept every valid token.
CREATE OR REPLACE FUNCTION access.under_floor(action_id bigint, floor text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM access.action
        WHERE id = action_id AND (code_key = 'platform:public' AND floor <> 'public'
                                  OR code_key = 'platform:authenticated' AND floor = 'action'
                                  OR floor = 'fixed' AND code_key IS DISTINCT FROM 'platform:authenticated'))
$$;

-- Return the members of a mapping that affect decisions, as the audit trail stores them.
CREATE OR REPLACE FUNCTION access.mapping_document(mapping access.endpoint_mapping) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
    SELECT jsonb_build_object(
        'id', mapping.id, 'method', mapping.method, 'path_pattern', mapping.path_pattern, 'action_id', mapping.action_id,
        'service', mapping.service, 'operation', mapping.operation_key, 'guard', mapping.guard)
$$;

-- Register the operations that a starting process serves. Return {version, warnings: [{code, operation}]}.
--
-- Lock: the catalogue is locked first, so processes that start at the same time register one after the other.
--
-- Audit: `before` contains the changed and retired mappings as they were, so that an earlier version of the catalogue
-- can be made from a later one.
CREATE OR REPLACE FUNCTION access.announce(operations jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    offered  record;
    known    access.endpoint_mapping;
    bound    bigint;
    present  bigint;
    retired  bigint[];
    changed  jsonb := '[]';
    removed  jsonb := '[]';
    was      jsonb := '[]';
    displaced jsonb;
    warnings jsonb := '[]';
BEGIN
    SELECT version INTO present FROM access.catalogue_version FOR UPDATE;
    FOR offered IN
        SELECT * FROM jsonb_to_recordset(operations) AS o(
            operation text, service text, method text, path_pattern text, action text, guard text, floor text,
            description text, also text[])
        ORDER BY operation
    LOOP
        SELECT * INTO known FROM access.endpoint_mapping WHERE operation_key = offered.operation;
        IF known.id IS NOT NULL AND known.retired_at IS NULL
           AND (known.service, known.method, known.path_pattern, known.declared_action, known.floor, known.also)
               = (offered.service, offered.method, offered.path_pattern, offered.action, offered.floor, offered.also)
           AND known.guard IS NOT DISTINCT FROM offered.guard THEN
            UPDATE access.endpoint_mapping SET announced_at = now() WHERE id = known.id;
            CONTINUE;
        END IF;
        -- Retain an administrator's rebinding, even if the release declares another action than before.
        bound := known.action_id;
        IF known.id IS NULL OR known.declared_action <> offered.action
                AND known.action_id = (SELECT id FROM access.action WHERE code_key = known.declared_action)
                OR access.under_floor(bound, offered.floor) THEN
            bound := access.declared_action(offered.action, offered.description);
            IF (SELECT name <> code_key AND created_at = now() FROM access.action WHERE id = bound) THEN
                warnings := warnings || jsonb_build_object('code', 'name_taken', 'operation', offered.operation);
            END IF;
        ELSIF known.declared_action <> offered.action THEN
            warnings := warnings || jsonb_build_object('code', 'rebinding_kept', 'operation', offered.operation);
        END IF;
        -- Retire another mapping of the same shape: a custom one, or an operation that moved or ended.
        WITH gone AS (
            UPDATE access.endpoint_mapping SET retired_at = now(), updated_at = now()
            WHERE operation_key IS DISTINCT FROM offered.operation AND retired_at IS NULL AND method = offered.method
              AND shape = regexp_replace(offered.path_pattern, '\{[A-Za-z_][A-Za-z0-9_]*\}', '*', 'g')
            RETURNING id, operation_key, access.mapping_document(endpoint_mapping) AS document)
        SELECT array_agg(id) FILTER (WHERE operation_key IS NULL), coalesce(jsonb_agg(document), '[]')
        INTO retired, displaced FROM gone;
        was := was || displaced;
        IF retired IS NOT NULL THEN
            removed := removed || to_jsonb(retired);
            warnings := warnings || jsonb_build_object('code', 'custom_retired', 'operation', offered.operation);
        END IF;
        IF known.id IS NULL THEN
            INSERT INTO access.endpoint_mapping (operation_key, service, guard, floor, also, method, path_pattern,
                                                 action_id, declared_action, description, announced_at)
            VALUES (offered.operation, offered.service, offered.guard, offered.floor, offered.also, offered.method,
                    offered.path_pattern, bound, offered.action, offered.description, now());
        ELSE
            IF known.retired_at IS NULL THEN
                was := was || access.mapping_document(known);
            END IF;
            UPDATE access.endpoint_mapping SET
                service = offered.service, guard = offered.guard, floor = offered.floor, also = offered.also,
                method = offered.method, path_pattern = offered.path_pattern, action_id = bound,
                declared_action = offered.action, updated_at = now(), announced_at = now(), retired_at = NULL
            WHERE id = known.id;
        END IF;
        changed := changed || to_jsonb(offered.operation);
    END LOOP;
    IF jsonb_array_length(changed) > 0 THEN
        present := access.record_changes(jsonb_build_array(jsonb_build_object(
            'actor', jsonb_build_object('sub', 'system', 'azp', '', 'cpf', NULL, 'display_name', 'system'),
            'operation', 'registration.sync', 'target_type', 'mapping', 'request_id', '',
            'before', was, 'after', jsonb_build_object('operations', changed, 'retired', removed))));
    END IF;
    RETURN jsonb_build_object('version', present, 'warnings', warnings);
END $$;

-- Record that a running process serves these operations. Retention retires operations that no process has confirmed for
-- a day.
CREATE OR REPLACE FUNCTION access.still_served(operations text[]) RETURNS void LANGUAGE sql AS $$
    UPDATE access.endpoint_mapping SET announced_at = now() WHERE operation_key = ANY(operations)
$$;

GRANT EXECUTE ON FUNCTION access.declared_action, access.under_floor, access.mapping_document, access.announce,
    access.still_served TO balcao_app;
