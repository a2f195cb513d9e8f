-- What citizens ask the city to do (registry document, 3.9 and 4.20). A type's definition is never changed: an edit adds a
-- version, and a request names the version of its answers.
CREATE TABLE registry.request_type (
    id         text        PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9_]{1,49}$'),
    version    integer     NOT NULL CHECK (version > 0),
    updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE registry.request_type_version (
    type       text        NOT NULL REFERENCES registry.request_type,
    version    integer     NOT NULL CHECK (version > 0),
    definition jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (type, version)
);

CREATE SEQUENCE registry.request_number;

-- `cpf` is empty for a request without login, and after an erasure of its person. `last_step` is the number of its last
-- step, `sent_step` the last one that the CRM has. `crm_status` and `crm_message` are the CRM's last words
-- about it, of `crm_changed_at`: an older reading, which another worker made, is ignored.
CREATE TABLE registry.request (
    cpf         text        NOT NULL CHECK (cpf ~ '^(\d{11})?$'),
    id          uuid        NOT NULL UNIQUE,
    number      text        NOT NULL UNIQUE,
    type        text        NOT NULL,
    version     integer     NOT NULL,
    answers     jsonb       NOT NULL,
    description text,
    place       text,
    departments text[]      NOT NULL,
    channel     text        NOT NULL,
    state       text        NOT NULL
        CHECK (state IN ('received', 'sent', 'in_progress', 'needs_information', 'done', 'refused', 'reopened')),
    code_hash   bytea,
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    deadline    timestamptz NOT NULL,
    closed_at   timestamptz,
    erased_at   timestamptz,
    protocol    text,
    crm_status  text,
    crm_message text,
    crm_changed_at timestamptz,
    last_step   integer     NOT NULL,
    sent_step   integer     NOT NULL DEFAULT 0,
    stars       smallint    CHECK (stars BETWEEN 1 AND 5),
    comment     text,
    rated_at    timestamptz,
    PRIMARY KEY (cpf, id),
    FOREIGN KEY (type, version) REFERENCES registry.request_type_version,
    CHECK ((closed_at IS NOT NULL) = (state IN ('done', 'refused')))
);
CREATE INDEX request_newest ON registry.request (cpf, created_at DESC, number DESC);
CREATE INDEX request_open ON registry.request (deadline, number) WHERE closed_at IS NULL;
CREATE INDEX request_changed ON registry.request (updated_at DESC, number DESC);

CREATE TABLE registry.request_step (
    cpf     text        NOT NULL,
    request uuid        NOT NULL,
    seq     integer     NOT NULL CHECK (seq > 0),
    state   text,
    text    text,
    author  text        NOT NULL CHECK (author IN ('citizen', 'staff', 'crm', 'platform')),
    at      timestamptz NOT NULL,
    PRIMARY KEY (cpf, request, seq),
    FOREIGN KEY (cpf, request) REFERENCES registry.request (cpf, id) ON UPDATE CASCADE ON DELETE CASCADE
);

-- Up to where the cases of the CRM have been read: one row.
CREATE TABLE registry.request_poll (
    id       boolean     PRIMARY KEY DEFAULT true CHECK (id),
    moment   timestamptz NOT NULL,
    after_id text        NOT NULL
);
INSERT INTO registry.request_poll (moment, after_id) VALUES ('2000-01-01T00:00:00Z', '');

GRANT SELECT, INSERT, UPDATE ON registry.request_type, registry.request, registry.request_step TO balcao_app;
GRANT SELECT, INSERT ON registry.request_type_version TO balcao_app;
GRANT SELECT, UPDATE ON registry.request_poll TO balcao_app;
GRANT USAGE ON SEQUENCE registry.request_number TO balcao_app;
