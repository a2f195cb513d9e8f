-- Versions of the agents' configuration, never changed once written, and the pointer to the active one
-- (agents document, section 3.1).
CREATE SCHEMA agents;
GRANT USAGE ON SCHEMA agents TO balcao_app;

CREATE TABLE agents.agents (
    agent_type        text PRIMARY KEY CHECK (agent_type ~ '^[A-Za-z0-9_.-]{1,50}$'),
    next_version      int NOT NULL DEFAULT 1 CHECK (next_version >= 1),
    active_version_id uuid,
    created_at        timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE agents.agent_versions (
    version_id     uuid PRIMARY KEY,
    config_id      uuid NOT NULL UNIQUE,
    prompt_id      uuid NOT NULL UNIQUE,
    agent_type     text NOT NULL REFERENCES agents.agents,
    version        int NOT NULL CHECK (version >= 1),
    prompt         text NOT NULL,
    memory_blocks  jsonb NOT NULL CHECK (jsonb_typeof(memory_blocks) = 'array'),
    tools          jsonb NOT NULL CHECK (jsonb_typeof(tools) = 'array'),
    model_name     text NOT NULL,
    embedding_name text NOT NULL,
    change_type    text NOT NULL CHECK (change_type IN ('prompt', 'config', 'both')),
    base_version   int,
    author         text NOT NULL,
    author_sub     text NOT NULL,
    reason         text NOT NULL CHECK (char_length(reason) <= 2000),
    content_hash   bytea NOT NULL,
    created_at     timestamptz NOT NULL,
    UNIQUE (agent_type, version)
);

ALTER TABLE agents.agents ADD CONSTRAINT agents_active_version
    FOREIGN KEY (active_version_id) REFERENCES agents.agent_versions DEFERRABLE INITIALLY DEFERRED;

-- Left out of histories and never activated again; still read by its ids.
CREATE TABLE agents.agent_version_hidden (
    version_id uuid PRIMARY KEY REFERENCES agents.agent_versions,
    hidden_by  text NOT NULL,
    hidden_at  timestamptz NOT NULL,
    reason     text NOT NULL
);

CREATE TABLE agents.agent_activations (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    agent_type   text NOT NULL REFERENCES agents.agents,
    from_version int,
    to_version   int NOT NULL,
    kind         text NOT NULL CHECK (kind IN ('save', 'activate', 'rollback', 'reset')),
    reason       text NOT NULL CHECK (char_length(reason) <= 2000),
    author       text NOT NULL,
    em           timestamptz NOT NULL,
    FOREIGN KEY (agent_type, from_version) REFERENCES agents.agent_versions (agent_type, version),
    FOREIGN KEY (agent_type, to_version) REFERENCES agents.agent_versions (agent_type, version)
);
CREATE INDEX agent_activations_newest ON agents.agent_activations (agent_type, id DESC);

GRANT SELECT, INSERT, UPDATE ON agents.agents TO balcao_app;
GRANT SELECT, INSERT ON agents.agent_versions, agents.agent_version_hidden, agents.agent_activations TO balcao_app;
