-- Sets of examples with which agents are judged (agents document, section 3.1).
CREATE TABLE agents.datasets (
    id            text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9_=-]{1,64}$'),
    name          text NOT NULL UNIQUE CHECK (char_length(name) BETWEEN 1 AND 200),
    description   text NOT NULL DEFAULT '' CHECK (char_length(description) <= 2000),
    metadata      jsonb NOT NULL DEFAULT '{}',
    example_count int NOT NULL DEFAULT 0 CHECK (example_count BETWEEN 0 AND 100000),
    next_position bigint NOT NULL DEFAULT 1,
    created_at    timestamptz NOT NULL
);

-- Positions are given out under the lock of the set's row: commit order is page order. `size` is that of the contents
-- as text, in bytes; `content_hash` that of the latest revision.
CREATE TABLE agents.dataset_examples (
    id           text PRIMARY KEY CHECK (char_length(id) BETWEEN 1 AND 64),
    dataset_id   text NOT NULL REFERENCES agents.datasets,
    position     bigint NOT NULL,
    revision     int NOT NULL DEFAULT 1,
    size         int NOT NULL,
    content_hash bytea NOT NULL,
    span         jsonb,
    deleted_at   timestamptz,
    UNIQUE (dataset_id, position)
);
CREATE UNIQUE INDEX dataset_examples_content ON agents.dataset_examples (dataset_id, content_hash)
    WHERE deleted_at IS NULL;

CREATE TABLE agents.dataset_example_revisions (
    example_id text NOT NULL REFERENCES agents.dataset_examples,
    revision   int NOT NULL CHECK (revision >= 1),
    input      jsonb NOT NULL CHECK (jsonb_typeof(input) = 'object'),
    output     jsonb NOT NULL CHECK (jsonb_typeof(output) = 'object'),
    metadata   jsonb NOT NULL CHECK (jsonb_typeof(metadata) = 'object'),
    author     text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (example_id, revision)
);

GRANT SELECT, INSERT, UPDATE ON agents.datasets, agents.dataset_examples TO balcao_app;
GRANT SELECT, INSERT ON agents.dataset_example_revisions TO balcao_app;
