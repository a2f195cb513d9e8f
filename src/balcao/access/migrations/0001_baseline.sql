-- The tables of access: who may do what. An action is a right, a role grants actions, and people have roles directly or
-- through groups. Every process decides from its own copy of this catalogue (rules: access 3.1). `functions/` contains
-- the functions of this schema.

CREATE SCHEMA access;
GRANT USAGE ON SCHEMA access TO balcao_app;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- The version of the catalogue and its changes.

-- The current version: one row. Every transaction that changes the catalogue holds its lock until the commit.
CREATE TABLE access.catalogue_version (
    one        boolean     PRIMARY KEY DEFAULT true CHECK (one),
    version    bigint      NOT NULL,
    changed_at timestamptz NOT NULL,
    forgotten  bigint      NOT NULL DEFAULT 0
);
COMMENT ON COLUMN access.catalogue_version.forgotten IS 'the last row of `change` that retention has deleted';
INSERT INTO access.catalogue_version (version, changed_at) VALUES (1, now());
GRANT SELECT, UPDATE ON access.catalogue_version TO balcao_app;

-- The changed items. A process reads only the rows after the last one that it knows, unless retention has deleted
-- some of them: then it reads the whole catalogue. Triggers insert the rows under the catalogue's lock, so the numbers
-- follow the order of commits.
CREATE TABLE access.change (
    id   bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text        NOT NULL CHECK (kind IN ('action', 'mapping', 'role', 'group', 'person')),
    item bigint      NOT NULL,
    at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN access.change.item IS 'the id of the item, which may have been deleted';
GRANT SELECT, INSERT ON access.change TO balcao_app;

-- Actions and the operations that require them.

-- The actions. Code refers to a shipped action by its `code_key`, so administrators may rename it.
CREATE TABLE access.action (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 3 AND 100),
    description text        NOT NULL CHECK (char_length(description) BETWEEN 1 AND 500),
    code_key    text        UNIQUE,
    origin      text        NOT NULL CHECK (origin IN ('shipped', 'custom')),
    row_version bigint      NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    created_by  text,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT action_name_unique UNIQUE (name)
);
COMMENT ON COLUMN access.action.code_key IS 'null for an action that the city created';

-- Method and path of each operation, with the action that it requires. The platform's processes register their own
-- operations; the city adds mappings for its own applications. A retired mapping is not matched any more.
CREATE TABLE access.endpoint_mapping (
    id              bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_key   text        UNIQUE,
    service         text,
    guard           text,
    floor           text        NOT NULL DEFAULT 'public' CHECK (floor IN ('public', 'authenticated', 'action', 'fixed')),
    also            text[]      NOT NULL DEFAULT '{}',
    method          text        NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
    path_pattern    text        NOT NULL CHECK (char_length(path_pattern) BETWEEN 1 AND 255),
    shape           text        GENERATED ALWAYS AS (regexp_replace(path_pattern, '\{[A-Za-z_][A-Za-z0-9_]*\}', '*', 'g')) STORED,
    action_id       bigint      NOT NULL REFERENCES access.action ON DELETE RESTRICT,
    declared_action text,
    description     text,
    created_by      text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    announced_at    timestamptz,
    retired_at      timestamptz
);
COMMENT ON COLUMN access.endpoint_mapping.operation_key IS 'null for a mapping that the city created';
COMMENT ON COLUMN access.endpoint_mapping.guard IS
    'callers who do not need the action: the person concerned (`self`), or a machine (`scope`, `client`)';
COMMENT ON COLUMN access.endpoint_mapping.floor IS
    'the least that an administrator may require; `fixed`: nobody changes the binding (rules: access 4.1)';
COMMENT ON COLUMN access.endpoint_mapping.also IS 'code keys of further actions that the operation checks while it runs';
COMMENT ON COLUMN access.endpoint_mapping.shape IS 'the pattern without the names of its parameters';
COMMENT ON COLUMN access.endpoint_mapping.declared_action IS
    'the code key that the release declares; `action_id` differs from it only after an administrator rebound the mapping';
COMMENT ON COLUMN access.endpoint_mapping.announced_at IS 'when a running process last confirmed that it serves the operation';
CREATE UNIQUE INDEX endpoint_mapping_shape ON access.endpoint_mapping (method, shape) WHERE retired_at IS NULL;
CREATE INDEX endpoint_mapping_action ON access.endpoint_mapping (action_id) WHERE retired_at IS NULL;

-- Roles, people and groups.

-- The roles. An administrative role implies every action, including future ones.
CREATE TABLE access.role (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text        NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9_:]{1,100}$'),
    description    text        NOT NULL,
    administrative boolean     NOT NULL DEFAULT false CHECK (NOT administrative OR name IN ('admin', 'superadmin')),
    origin         text        NOT NULL CHECK (origin IN ('shipped', 'custom')),
    created_by     text,
    created_at     timestamptz NOT NULL DEFAULT now()
);

-- The actions that a role grants.
CREATE TABLE access.role_action (
    role_id    bigint      NOT NULL REFERENCES access.role ON DELETE CASCADE,
    action_id  bigint      NOT NULL REFERENCES access.action ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (role_id, action_id)
);
CREATE INDEX role_action_action ON access.role_action (action_id);

-- Return the form of a text in which case, accents and runs of whitespace do not count. Collation "C" and the
-- decomposed form give the same result on every server, whatever its locale. A generated column uses this function, so
-- it must always return the same text.
CREATE FUNCTION access.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;
GRANT EXECUTE ON FUNCTION access.folded TO balcao_app;

-- The people who asked for their own rights, or who were added to a group or a role. Retention deletes a person without
-- a role and a group who has not returned for a long time.
CREATE TABLE access.person (
    id            bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cpf           text        NOT NULL UNIQUE CHECK (cpf ~ '^\d{11}$'),
    display_name  text,
    first_seen_at timestamptz NOT NULL DEFAULT now(),
    seen_at       timestamptz NOT NULL DEFAULT now(),
    search_text   text        GENERATED ALWAYS AS (access.folded(coalesce(display_name, '')) || chr(31) || cpf) STORED
);
COMMENT ON COLUMN access.person.seen_at IS 'when the person last asked for their own rights, to the day';
COMMENT ON COLUMN access.person.search_text IS
    'name and CPF, separated by a character that neither contains, so that no search matches across both';
-- People are found by a part of their name or CPF (rules: access 2.3).
CREATE INDEX person_search ON access.person USING gin (search_text public.gin_trgm_ops);

-- The groups.
CREATE TABLE access.grp (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text        NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9_:]{1,100}$'),
    description text        NOT NULL,
    attributes  jsonb       NOT NULL DEFAULT '{}',
    origin      text        NOT NULL DEFAULT 'custom' CHECK (origin IN ('shipped', 'custom')),
    created_by  text,
    created_at  timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN access.grp.attributes IS 'limits of what members get through the group, such as areas (rules: access 3.3)';

-- The members of a group.
CREATE TABLE access.membership (
    group_id  bigint      NOT NULL REFERENCES access.grp ON DELETE CASCADE,
    person_id bigint      NOT NULL REFERENCES access.person ON DELETE CASCADE,
    added_by  text,
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, person_id)
);
CREATE INDEX membership_person ON access.membership (person_id);

-- The roles that the members of a group have.
CREATE TABLE access.group_role (
    group_id   bigint      NOT NULL REFERENCES access.grp ON DELETE CASCADE,
    role_id    bigint      NOT NULL REFERENCES access.role ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, role_id)
);
CREATE INDEX group_role_role ON access.group_role (role_id);

-- The roles that a person has directly.
CREATE TABLE access.person_role (
    person_id  bigint      NOT NULL REFERENCES access.person ON DELETE CASCADE,
    role_id    bigint      NOT NULL REFERENCES access.role ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person_id, role_id)
);
CREATE INDEX person_role_role ON access.person_role (role_id);

-- What a release or the demo data has written. Each is written only once: what an administrator removed stays removed.
CREATE TABLE access.shipped_once (
    kind text NOT NULL CHECK (kind IN ('action', 'role', 'grant', 'group', 'group_role', 'demo')),
    name text NOT NULL,
    held text NOT NULL DEFAULT '',
    PRIMARY KEY (kind, name, held)
);
COMMENT ON COLUMN access.shipped_once.name IS 'for an action, its code key';
COMMENT ON COLUMN access.shipped_once.held IS 'the action of a grant, or the role of a group';

GRANT SELECT, INSERT, UPDATE, DELETE ON
    access.action, access.endpoint_mapping, access.role, access.role_action, access.person, access.grp,
    access.membership, access.group_role, access.person_role, access.shipped_once TO balcao_app;
-- Ids of a plan's new rows are reserved before the catalogue is locked, so that its lock is held only while writing.
GRANT USAGE ON SEQUENCE access.action_id_seq, access.role_id_seq, access.grp_id_seq, access.endpoint_mapping_id_seq
    TO balcao_app;

-- Plans and the audit trail.

-- A planned change of the whole catalogue, until it is applied or too old.
CREATE TABLE access.plan (
    id           uuid        PRIMARY KEY,
    base_version bigint      NOT NULL,
    document     jsonb       NOT NULL,
    prune        boolean     NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN access.plan.base_version IS 'the version for which the plan was made; it applies to no other';
COMMENT ON COLUMN access.plan.prune IS 'whether the plan deletes what the document does not contain';
GRANT SELECT, INSERT, DELETE ON access.plan TO balcao_app;

-- The audit trail (rules: access 3.4). Changes form a chain: `hash` covers the event and the hash of the event before
-- it. Rejected writes and reads of people are not part of the chain, and have no `seq`.
CREATE TABLE access.audit_event (
    id                bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq               bigint      UNIQUE,
    at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor             jsonb       NOT NULL,
    operation         text        NOT NULL,
    target_type       text        NOT NULL,
    target_id         text,
    target_name       text,
    subject           jsonb,
    before            jsonb,
    after             jsonb,
    outcome           text        NOT NULL CHECK (outcome IN ('done', 'denied')),
    request_id        text        NOT NULL,
    catalogue_version bigint      NOT NULL,
    prev_hash         text,
    hash              text,
    CHECK ((seq IS NULL) = (hash IS NULL) AND (seq IS NULL) = (prev_hash IS NULL))
);
COMMENT ON COLUMN access.audit_event.subject IS 'the person whom the event concerns: keyed hash and masked CPF';
COMMENT ON COLUMN access.audit_event.before IS 'with `after`, all that is needed to undo the change (rules: access 2.5)';
CREATE INDEX audit_event_target ON access.audit_event (target_type, target_id);
-- For the changes after a version, from which an earlier version is made.
CREATE INDEX audit_event_version ON access.audit_event (catalogue_version) WHERE seq IS NOT NULL;
GRANT SELECT, INSERT ON access.audit_event TO balcao_app;
