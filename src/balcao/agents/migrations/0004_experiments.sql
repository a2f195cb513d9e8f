-- Experiments: what an agent answered to the examples of a set, and how annotators scored it (rules: agents 2.4). The
-- summary is that of all runs, renewed by whoever records some, under the lock of the experiment's row.
CREATE TABLE agents.experiments (
    id          text PRIMARY KEY,
    dataset_id  text NOT NULL REFERENCES agents.datasets,
    name        text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    description text NOT NULL CHECK (char_length(description) <= 2000),
    metadata    jsonb NOT NULL,
    agent_type  text,
    version     int,
    author      text NOT NULL,
    created_at  timestamptz NOT NULL,
    summary     jsonb NOT NULL DEFAULT '{"runs": 0, "errors": 0, "latency": null, "annotations": []}',
    UNIQUE (dataset_id, name),
    FOREIGN KEY (agent_type, version) REFERENCES agents.agent_versions (agent_type, version)
);

CREATE TABLE agents.experiment_runs (
    experiment_id text NOT NULL REFERENCES agents.experiments ON DELETE CASCADE,
    example_id    text NOT NULL REFERENCES agents.dataset_examples,
    revision      int NOT NULL,
    output        jsonb NOT NULL CHECK (jsonb_typeof(output) = 'object'),
    error         text NOT NULL,
    latency_ms    int CHECK (latency_ms >= 0),
    author        text NOT NULL,
    recorded_at   timestamptz NOT NULL,
    PRIMARY KEY (experiment_id, example_id)
);
CREATE INDEX experiment_runs_example ON agents.experiment_runs (example_id);

CREATE TABLE agents.experiment_scores (
    experiment_id  text NOT NULL,
    example_id     text NOT NULL,
    name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    annotator_kind text NOT NULL CHECK (annotator_kind IN ('human', 'model', 'code')),
    score          double precision,
    label          text NOT NULL,
    explanation    text NOT NULL,
    PRIMARY KEY (experiment_id, example_id, name),
    FOREIGN KEY (experiment_id, example_id) REFERENCES agents.experiment_runs ON DELETE CASCADE
);

GRANT SELECT, INSERT, UPDATE, DELETE ON agents.experiments, agents.experiment_runs, agents.experiment_scores
    TO balcao_app;
