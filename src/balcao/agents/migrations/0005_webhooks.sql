-- Who is told by a signed call that another version of an agent is active (rules: agents 2.5). The secrets sign what is
-- sent; the one before is used besides until `previous_until`, so that a receiver can change over.
CREATE TABLE agents.webhooks (
    id               uuid PRIMARY KEY,
    url              text NOT NULL CHECK (char_length(url) <= 500),
    description      text CHECK (char_length(description) <= 200),
    agent_types      text[] NOT NULL,
    active           boolean NOT NULL,
    secret           bytea NOT NULL CHECK (length(secret) = 32),
    previous_secret  bytea,
    previous_until   timestamptz,
    created_at       timestamptz NOT NULL,
    last_delivery_at timestamptz,
    last_failure_at  timestamptz,
    last_error       text
);
GRANT SELECT, INSERT, UPDATE, DELETE ON agents.webhooks TO balcao_app;
