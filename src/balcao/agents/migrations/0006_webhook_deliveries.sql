-- What was sent to a webhook, with every try: `tries` is an array of {at, error}, the oldest first (rules: agents 2.5).
-- `activation` is the move in the log, null for a test.
CREATE TABLE agents.webhook_deliveries (
    webhook      uuid NOT NULL REFERENCES agents.webhooks ON DELETE CASCADE,
    message      text NOT NULL,
    activation   bigint,
    last_try_at  timestamptz NOT NULL,
    delivered_at timestamptz,
    last_error   text,
    tries        jsonb NOT NULL CHECK (jsonb_typeof(tries) = 'array'),
    PRIMARY KEY (webhook, message)
);
CREATE INDEX webhook_deliveries_newest ON agents.webhook_deliveries (webhook, last_try_at DESC);
CREATE INDEX webhook_deliveries_age ON agents.webhook_deliveries (last_try_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON agents.webhook_deliveries TO balcao_app;
