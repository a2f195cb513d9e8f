-- The tables of the agents: versions of their configuration, data sets for judging them, and webhooks.

CREATE SCHEMA agents;
GRANT USAGE ON SCHEMA agents TO balcao_app;

-- Configuration: numbered versions that never change, and the version that is active now.

-- The agents. Saves lock the agent's row, so that version numbers and moves of the active version have one order.
CREATE TABLE agents.agents (
    agent_type        text        PRIMARY KEY CHECK (agent_type ~ '^[A-Za-z0-9_.-]{1,50}$'),
    next_version      integer     NOT NULL DEFAULT 1 CHECK (next_version >= 1),
    active_version_id uuid,
    created_at        timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN agents.agents.next_version IS 'never decreases: the number of a hidden version is not used again';
GRANT SELECT, INSERT, UPDATE ON agents.agents TO balcao_app;

-- The versions. The services may only insert, so that a version reads the same forever (rules: agents 3.1).
CREATE TABLE agents.agent_versions (
    version_id     uuid        PRIMARY KEY,
    config_id      uuid        NOT NULL UNIQUE,
    prompt_id      uuid        NOT NULL UNIQUE,
    agent_type     text        NOT NULL REFERENCES agents.agents,
    version        integer     NOT NULL CHECK (version >= 1),
    prompt         text        NOT NULL,
    memory_blocks  jsonb       NOT NULL CHECK (jsonb_typeof(memory_blocks) = 'array'),
    tools          jsonb       NOT NULL CHECK (jsonb_typeof(tools) = 'array'),
    model_name     text        NOT NULL,
    embedding_name text        NOT NULL,
    change_type    text        NOT NULL CHECK (change_type IN ('prompt', 'config', 'both')),
    base_version   integer,
    author         text        NOT NULL,
    author_sub     text        NOT NULL,
    reason         text        NOT NULL CHECK (char_length(reason) <= 2000),
    content_hash   bytea       NOT NULL,
    created_at     timestamptz NOT NULL,
    UNIQUE (agent_type, version)
);
COMMENT ON COLUMN agents.agent_versions.config_id IS 'clients read a version by the id of its configuration or of its prompt';
COMMENT ON COLUMN agents.agent_versions.change_type IS 'what differs from `base_version`';
COMMENT ON COLUMN agents.agent_versions.base_version IS 'the version that was active at the save; for an import, the next lower number';
COMMENT ON COLUMN agents.agent_versions.content_hash IS 'a save with the hash of the active version creates no new one';
GRANT SELECT, INSERT ON agents.agent_versions TO balcao_app;

-- Deferred: the agent and its first version refer to each other.
ALTER TABLE agents.agents ADD CONSTRAINT agents_active_version
    FOREIGN KEY (active_version_id) REFERENCES agents.agent_versions DEFERRABLE INITIALLY DEFERRED;

-- Versions that histories omit and that can never be activated again. They can still be read by their ids.
CREATE TABLE agents.agent_version_hidden (
    version_id uuid        PRIMARY KEY REFERENCES agents.agent_versions,
    hidden_by  text        NOT NULL,
    hidden_at  timestamptz NOT NULL,
    reason     text        NOT NULL
);
GRANT SELECT, INSERT ON agents.agent_version_hidden TO balcao_app;

-- The log of moves of the active version. A rollback finds the previous version in it.
CREATE TABLE agents.agent_activations (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_type   text        NOT NULL REFERENCES agents.agents,
    from_version integer,
    to_version   integer     NOT NULL,
    kind         text        NOT NULL CHECK (kind IN ('save', 'activate', 'rollback', 'reset')),
    reason       text        NOT NULL CHECK (char_length(reason) <= 2000),
    author       text        NOT NULL,
    em           timestamptz NOT NULL,
    FOREIGN KEY (agent_type, from_version) REFERENCES agents.agent_versions (agent_type, version),
    FOREIGN KEY (agent_type, to_version) REFERENCES agents.agent_versions (agent_type, version)
);
COMMENT ON COLUMN agents.agent_activations.from_version IS 'null if no version was active before';
CREATE INDEX agent_activations_newest ON agents.agent_activations (agent_type, id DESC);
GRANT SELECT, INSERT ON agents.agent_activations TO balcao_app;

-- Data sets: examples with which agents are judged.

-- A deleted data set frees its name. Its id and the ids of its examples are not used again.
CREATE TABLE agents.datasets (
    id            text        PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_=-]{1,64}$'),
    name          text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    description   text        NOT NULL DEFAULT '' CHECK (char_length(description) <= 2000),
    metadata      jsonb       NOT NULL DEFAULT '{}',
    example_count integer     NOT NULL DEFAULT 0 CHECK (example_count BETWEEN 0 AND 100000),
    next_position bigint      NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL,
    deleted_at    timestamptz
);
COMMENT ON COLUMN agents.datasets.example_count IS 'the examples that are not deleted';
COMMENT ON COLUMN agents.datasets.next_position IS 'assigned under the lock of this row, so positions follow the order of commits';
CREATE UNIQUE INDEX datasets_name ON agents.datasets (name) WHERE deleted_at IS NULL;
CREATE INDEX datasets_newest ON agents.datasets (created_at DESC, id DESC) WHERE deleted_at IS NULL;

-- The examples. Retention erases deleted ones: it removes their revisions and sets `size` to 0 (rules: agents 5).
CREATE TABLE agents.dataset_examples (
    id           text        PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 64),
    dataset_id   text        NOT NULL REFERENCES agents.datasets,
    position     bigint      NOT NULL,
    revision     integer     NOT NULL DEFAULT 1,
    size         integer     NOT NULL,
    content_hash bytea       NOT NULL,
    span         jsonb,
    deleted_at   timestamptz,
    UNIQUE (dataset_id, position)
);
COMMENT ON COLUMN agents.dataset_examples.revision IS 'the latest revision, which `size` and `content_hash` describe';
COMMENT ON COLUMN agents.dataset_examples.size IS 'bytes of the example in a response: pages are limited without reading contents';
COMMENT ON COLUMN agents.dataset_examples.span IS 'the traced span from which the example was imported';
CREATE UNIQUE INDEX dataset_examples_content ON agents.dataset_examples (dataset_id, content_hash)
    WHERE deleted_at IS NULL;
GRANT SELECT, INSERT, UPDATE ON agents.datasets, agents.dataset_examples TO balcao_app;

-- The content of the examples. Only retention, which runs as the owner, may delete a revision.
CREATE TABLE agents.dataset_example_revisions (
    example_id text        NOT NULL REFERENCES agents.dataset_examples,
    revision   integer     NOT NULL CHECK (revision >= 1),
    input      jsonb       NOT NULL CHECK (jsonb_typeof(input) = 'object'),
    output     jsonb       NOT NULL CHECK (jsonb_typeof(output) = 'object'),
    metadata   jsonb       NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    author     text        NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (example_id, revision)
);
GRANT SELECT, INSERT ON agents.dataset_example_revisions TO balcao_app;

-- Experiments: what an agent answered to the examples of a data set, and how annotators scored it (rules: agents 2.4).

-- Runs are recorded under the lock of the experiment's row, so that `summary` covers every run.
CREATE TABLE agents.experiments (
    id          text        PRIMARY KEY,
    dataset_id  text        NOT NULL REFERENCES agents.datasets,
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    description text        NOT NULL CHECK (char_length(description) <= 2000),
    metadata    jsonb       NOT NULL,
    agent_type  text,
    version     integer,
    author      text        NOT NULL,
    created_at  timestamptz NOT NULL,
    summary     jsonb       NOT NULL DEFAULT '{"runs": 0, "errors": 0, "latency": null, "annotations": []}',
    UNIQUE (dataset_id, name),
    FOREIGN KEY (agent_type, version) REFERENCES agents.agent_versions (agent_type, version)
);

-- One run for each example. A later run replaces it.
CREATE TABLE agents.experiment_runs (
    experiment_id text        NOT NULL REFERENCES agents.experiments ON DELETE CASCADE,
    example_id    text        NOT NULL REFERENCES agents.dataset_examples,
    revision      integer     NOT NULL,
    output        jsonb       NOT NULL CHECK (jsonb_typeof(output) = 'object'),
    error         text        NOT NULL,
    latency_ms    integer     CHECK (latency_ms >= 0),
    author        text        NOT NULL,
    recorded_at   timestamptz NOT NULL,
    PRIMARY KEY (experiment_id, example_id)
);
COMMENT ON COLUMN agents.experiment_runs.revision IS 'the revision of the example when the run was recorded';
COMMENT ON COLUMN agents.experiment_runs.error IS 'empty if the agent answered';
CREATE INDEX experiment_runs_example ON agents.experiment_runs (example_id);

-- The scores that annotators gave to a run.
CREATE TABLE agents.experiment_scores (
    experiment_id  text             NOT NULL,
    example_id     text             NOT NULL,
    name           text             NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    annotator_kind text             NOT NULL CHECK (annotator_kind IN ('human', 'model', 'code')),
    score          double precision,
    label          text             NOT NULL,
    explanation    text             NOT NULL,
    PRIMARY KEY (experiment_id, example_id, name),
    FOREIGN KEY (experiment_id, example_id) REFERENCES agents.experiment_runs ON DELETE CASCADE
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agents.experiments, agents.experiment_runs, agents.experiment_scores
    TO balcao_app;

-- Webhooks: receivers of a signed request whenever another version of an agent becomes active (rules: agents 2.5).

CREATE TABLE agents.webhooks (
    id               uuid        PRIMARY KEY,
    url              text        NOT NULL CHECK (char_length(url) <= 500),
    description      text        CHECK (char_length(description) <= 200),
    agent_types      text[]      NOT NULL,
    active           boolean     NOT NULL,
    secret           bytea       NOT NULL CHECK (length(secret) = 32),
    previous_secret  bytea,
    previous_until   timestamptz,
    created_at       timestamptz NOT NULL,
    last_delivery_at timestamptz,
    last_failure_at  timestamptz,
    last_error       text
);
COMMENT ON COLUMN agents.webhooks.agent_types IS 'empty: all agents';
COMMENT ON COLUMN agents.webhooks.previous_secret IS
    'requests are signed with both secrets until `previous_until`, so that the receiver can change over';
GRANT SELECT, INSERT, UPDATE, DELETE ON agents.webhooks TO balcao_app;

-- The messages that were sent to a webhook, each with its last attempts.
CREATE TABLE agents.webhook_deliveries (
    webhook      uuid        NOT NULL REFERENCES agents.webhooks ON DELETE CASCADE,
    message      text        NOT NULL,
    activation   bigint,
    last_try_at  timestamptz NOT NULL,
    delivered_at timestamptz,
    last_error   text,
    tries        jsonb       NOT NULL CHECK (jsonb_typeof(tries) = 'array'),
    PRIMARY KEY (webhook, message)
);
COMMENT ON COLUMN agents.webhook_deliveries.activation IS 'the entry in the log of activations; null for a test message';
COMMENT ON COLUMN agents.webhook_deliveries.tries IS 'objects {at, error}, oldest first';
CREATE INDEX webhook_deliveries_newest ON agents.webhook_deliveries (webhook, last_try_at DESC);
CREATE INDEX webhook_deliveries_age ON agents.webhook_deliveries (last_try_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON agents.webhook_deliveries TO balcao_app;
