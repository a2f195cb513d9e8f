-- When the server was last copied, and when its log was last known to arrive at the copies. The machine that makes the copies
-- writes it; doctor and the metrics of every other machine read it.
CREATE TABLE platform.backup (
    kind       text PRIMARY KEY CHECK (kind IN ('copy', 'log')),
    noted_at   timestamptz NOT NULL,
    free_bytes bigint NOT NULL
);
GRANT SELECT, INSERT, UPDATE ON platform.backup TO balcao_app;
