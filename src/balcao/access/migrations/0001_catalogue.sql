-- The catalogue of actions and everything hung on it (access document, section 3.1).
CREATE SCHEMA access;
GRANT USAGE ON SCHEMA access TO balcao_app;

CREATE TABLE access.action (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL CHECK (char_length(name) BETWEEN 3 AND 100),
    description text NOT NULL CHECK (char_length(description) BETWEEN 1 AND 500),
    code_key    text UNIQUE,
    origin      text NOT NULL CHECK (origin IN ('shipped', 'custom')),
    row_version bigint NOT NULL DEFAULT 1,
    created_at  timestamptz NOT NULL DEFAULT now(),
    created_by  text,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT action_name_unique UNIQUE (name)
);

CREATE TABLE access.endpoint_mapping (
    id              bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    operation_key   text UNIQUE,
    service         text,
    guard           text,
    floor           text NOT NULL DEFAULT 'public' CHECK (floor IN ('public', 'authenticated', 'action')),
    also            text[] NOT NULL DEFAULT '{}',
    method          text NOT NULL CHECK (method IN ('GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS')),
    path_pattern    text NOT NULL CHECK (char_length(path_pattern) BETWEEN 1 AND 255),
    shape           text GENERATED ALWAYS AS (regexp_replace(path_pattern, '\{[A-Za-z_][A-Za-z0-9_]*\}', '*', 'g')) STORED,
    action_id       bigint NOT NULL REFERENCES access.action ON DELETE RESTRICT,
    -- The code key that the release declared; differs from the bound action only after an administrator's rebinding.
    declared_action text,
    description     text,
    created_by      text,
    created_at      timestamptz NOT NULL DEFAULT now(),
    updated_at      timestamptz NOT NULL DEFAULT now(),
    announced_at    timestamptz,
    retired_at      timestamptz
);
CREATE UNIQUE INDEX endpoint_mapping_shape ON access.endpoint_mapping (method, shape) WHERE retired_at IS NULL;
CREATE INDEX endpoint_mapping_action ON access.endpoint_mapping (action_id) WHERE retired_at IS NULL;

CREATE TABLE access.role (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name           text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9_:]{1,100}$'),
    description    text NOT NULL,
    administrative boolean NOT NULL DEFAULT false CHECK (NOT administrative OR name IN ('admin', 'superadmin')),
    origin         text NOT NULL CHECK (origin IN ('shipped', 'custom')),
    created_by     text,
    created_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE access.role_action (
    role_id    bigint NOT NULL REFERENCES access.role ON DELETE CASCADE,
    action_id  bigint NOT NULL REFERENCES access.action ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (role_id, action_id)
);
CREATE INDEX role_action_action ON access.role_action (action_id);

CREATE TABLE access.person (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    cpf           text NOT NULL UNIQUE CHECK (cpf ~ '^\d{11}$'),
    display_name  text,
    first_seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE access.grp (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name        text NOT NULL UNIQUE CHECK (name ~ '^[a-z0-9_:]{1,100}$'),
    description text NOT NULL,
    attributes  jsonb NOT NULL DEFAULT '{}',
    origin      text NOT NULL DEFAULT 'custom' CHECK (origin IN ('shipped', 'custom')),
    created_by  text,
    created_at  timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE access.membership (
    group_id  bigint NOT NULL REFERENCES access.grp ON DELETE CASCADE,
    person_id bigint NOT NULL REFERENCES access.person ON DELETE CASCADE,
    added_by  text,
    joined_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, person_id)
);
CREATE INDEX membership_person ON access.membership (person_id);

CREATE TABLE access.group_role (
    group_id   bigint NOT NULL REFERENCES access.grp ON DELETE CASCADE,
    role_id    bigint NOT NULL REFERENCES access.role ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, role_id)
);
CREATE INDEX group_role_role ON access.group_role (role_id);

CREATE TABLE access.person_role (
    person_id  bigint NOT NULL REFERENCES access.person ON DELETE CASCADE,
    role_id    bigint NOT NULL REFERENCES access.role ON DELETE CASCADE,
    granted_by text,
    granted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (person_id, role_id)
);
CREATE INDEX person_role_role ON access.person_role (role_id);

-- What a release or the demo data brought is written once: what an administrator removed stays removed.
-- `held` is the action of a grant and the role of a group's role, else empty; actions go by their code key.
CREATE TABLE access.shipped_once (
    kind text NOT NULL CHECK (kind IN ('action', 'role', 'grant', 'group', 'group_role', 'demo')),
    name text NOT NULL,
    held text NOT NULL DEFAULT '',
    PRIMARY KEY (kind, name, held)
);

CREATE TABLE access.catalogue_version (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    version    bigint NOT NULL,
    changed_at timestamptz NOT NULL
);
INSERT INTO access.catalogue_version (version, changed_at) VALUES (1, now());

-- Changes form a chain (`seq`, `prev_hash`, `hash`); refused writes and reads of people stand beside it.
CREATE TABLE access.audit_event (
    id                bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq               bigint UNIQUE,
    at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    actor             jsonb NOT NULL,
    operation         text NOT NULL,
    target_type       text NOT NULL,
    target_id         text,
    target_name       text,
    subject           jsonb,
    before            jsonb,
    after             jsonb,
    outcome           text NOT NULL CHECK (outcome IN ('done', 'denied')),
    request_id        text NOT NULL,
    catalogue_version bigint NOT NULL,
    prev_hash         text,
    hash              text,
    CHECK ((seq IS NULL) = (hash IS NULL) AND (seq IS NULL) = (prev_hash IS NULL))
);
CREATE INDEX audit_event_target ON access.audit_event (target_type, target_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON
    access.action, access.endpoint_mapping, access.role, access.role_action, access.person, access.grp,
    access.membership, access.group_role, access.person_role, access.shipped_once TO balcao_app;
GRANT SELECT, UPDATE ON access.catalogue_version TO balcao_app;
GRANT SELECT, INSERT ON access.audit_event TO balcao_app;
