-- JSON with sorted keys and no blanks: what the audit chain hashes, the same text on every machine.
CREATE FUNCTION access.canonical(document jsonb) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE jsonb_typeof(document)
        WHEN 'object' THEN '{' || coalesce((
            SELECT string_agg(to_json(member.key)::text || ':' || access.canonical(member.value), ','
                              ORDER BY member.key COLLATE "C")
            FROM jsonb_each(document) AS member), '') || '}'
        WHEN 'array' THEN '[' || coalesce((
            SELECT string_agg(access.canonical(item.value), ',' ORDER BY item.ordinality)
            FROM jsonb_array_elements(document) WITH ORDINALITY AS item), '') || ']'
        ELSE document::text
    END
$$;

-- Raises the catalogue version and tells every process on commit. The row lock it takes serialises catalogue writes.
CREATE FUNCTION access.raise_version() RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    raised bigint;
BEGIN
    UPDATE access.catalogue_version SET version = version + 1, changed_at = now() RETURNING version INTO raised;
    PERFORM pg_notify('balcao_access', raised::text);
    RETURN raised;
END $$;

-- What the hash of a chained event covers: every member but the hash itself, the same whenever it is made.
CREATE FUNCTION access.chained(event access.audit_event) RETURNS jsonb LANGUAGE sql STABLE AS $$
    SELECT jsonb_build_object(
        'seq', event.seq,
        'at', to_char(event.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
        'actor', event.actor, 'operation', event.operation,
        'target_type', event.target_type, 'target_id', event.target_id, 'target_name', event.target_name,
        'subject', event.subject, 'before', event.before, 'after', event.after, 'outcome', event.outcome,
        'request_id', event.request_id, 'catalogue_version', event.catalogue_version, 'prev_hash', event.prev_hash)
$$;

CREATE FUNCTION access.chain_hash(event access.audit_event) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(event.prev_hash || access.canonical(access.chained(event)), 'UTF8')), 'hex')
$$;

-- One catalogue change: the version rises once, and an array of events joins the chain. Answers the new version.
CREATE FUNCTION access.record_changes(events jsonb) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    raised bigint := access.raise_version();
    event  access.audit_event;
    last   access.audit_event;
    given  jsonb;
BEGIN
    SELECT * INTO last FROM access.audit_event WHERE seq IS NOT NULL ORDER BY seq DESC LIMIT 1;
    FOR given IN SELECT value FROM jsonb_array_elements(events) WITH ORDINALITY ORDER BY ordinality LOOP
        event := jsonb_populate_record(NULL::access.audit_event, given);
        event.seq := coalesce(last.seq, 0) + 1;
        event.at := clock_timestamp();
        event.outcome := 'done';
        event.catalogue_version := raised;
        event.prev_hash := coalesce(last.hash, repeat('0', 64));
        event.hash := access.chain_hash(event);
        INSERT INTO access.audit_event (seq, at, actor, operation, target_type, target_id, target_name, subject,
                                        before, after, outcome, request_id, catalogue_version, prev_hash, hash)
        VALUES (event.seq, event.at, event.actor, event.operation, event.target_type, event.target_id,
                event.target_name, event.subject, event.before, event.after, event.outcome, event.request_id,
                event.catalogue_version, event.prev_hash, event.hash);
        last := event;
    END LOOP;
    RETURN raised;
END $$;

-- The whole catalogue as processes decide by it, or null when `known` is the present version.
CREATE FUNCTION access.snapshot_since(known bigint) RETURNS jsonb LANGUAGE sql STABLE AS $$
    WITH held AS (
        SELECT person.cpf, role.name
        FROM access.membership
        JOIN access.person ON person.id = membership.person_id
        JOIN access.group_role ON group_role.group_id = membership.group_id
        JOIN access.role ON role.id = group_role.role_id
        UNION
        SELECT person.cpf, role.name
        FROM access.person_role
        JOIN access.person ON person.id = person_role.person_id
        JOIN access.role ON role.id = person_role.role_id
    )
    SELECT jsonb_build_object(
        'version', version,
        'bindings', (
            SELECT coalesce(jsonb_object_agg(operation_key, coalesce(code_key, '#' || action.id)), '{}')
            FROM access.endpoint_mapping JOIN access.action ON action.id = action_id
            WHERE operation_key IS NOT NULL AND retired_at IS NULL),
        'roles', (
            SELECT coalesce(jsonb_object_agg(role.name, jsonb_build_object(
                'administrative', administrative,
                'actions', (
                    SELECT coalesce(jsonb_agg(coalesce(code_key, '#' || action.id)), '[]')
                    FROM access.role_action JOIN access.action ON action.id = action_id
                    WHERE role_id = role.id))), '{}')
            FROM access.role),
        'people', (
            SELECT coalesce(jsonb_object_agg(cpf, roles), '{}')
            FROM (SELECT cpf, jsonb_agg(name) AS roles FROM held GROUP BY cpf) AS by_person),
        'groups', (
            SELECT coalesce(jsonb_object_agg(cpf, names), '{}')
            FROM (
                SELECT person.cpf, jsonb_agg(grp.name) AS names
                FROM access.membership
                JOIN access.person ON person.id = membership.person_id
                JOIN access.grp ON grp.id = membership.group_id
                GROUP BY person.cpf) AS by_person))
    FROM access.catalogue_version
    WHERE version <> known
$$;

-- The action that code declares under this key, made when the key is new. A city's own action keeps its name.
CREATE FUNCTION access.declared_action(key text, text_for_people text) RETURNS bigint LANGUAGE plpgsql AS $$
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

-- Whether an administrator's rebinding of an operation would undercut the floor that its code now declares.
CREATE FUNCTION access.under_floor(action_id bigint, floor text) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT EXISTS (
        SELECT FROM access.action
        WHERE id = action_id AND (code_key = 'platform:public' AND floor <> 'public'
                                  OR code_key = 'platform:authenticated' AND floor = 'action'))
$$;

-- Registers the operations that a starting process serves (access document, section 3.6).
-- Answers {version, warnings: [{code, operation}]}.
CREATE FUNCTION access.announce(operations jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    offered  record;
    known    access.endpoint_mapping;
    bound    bigint;
    present  bigint;
    retired  bigint[];
    changed  jsonb := '[]';
    removed  jsonb := '[]';
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
        -- An administrator's rebinding outlives the release that changes the declared action.
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
        -- Whatever stands in an operation's place gives way: a custom mapping, or an operation that moved or ended.
        WITH gone AS (
            UPDATE access.endpoint_mapping SET retired_at = now(), updated_at = now()
            WHERE operation_key IS DISTINCT FROM offered.operation AND retired_at IS NULL AND method = offered.method
              AND shape = regexp_replace(offered.path_pattern, '\{[A-Za-z_][A-Za-z0-9_]*\}', '*', 'g')
            RETURNING id, operation_key)
        SELECT array_agg(id) FILTER (WHERE operation_key IS NULL) INTO retired FROM gone;
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
            'after', jsonb_build_object('operations', changed, 'retired', removed))));
    END IF;
    RETURN jsonb_build_object('version', present, 'warnings', warnings);
END $$;

GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA access TO balcao_app;
