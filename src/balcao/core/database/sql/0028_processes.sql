-- The processes that run, on all machines. Each notes itself when it starts and every few seconds after that; one that
-- ends in order takes its row away, and the row of a killed one grows old.
CREATE TABLE platform.process (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL,
    host       text        NOT NULL,
    version    text        NOT NULL,
    services   text[]      NOT NULL,
    started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    beat_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN platform.process.name IS 'role and number, as in logs and metrics: `api-0`';
COMMENT ON COLUMN platform.process.services IS 'what it serves; of a worker nothing, as it runs the jobs of all';

GRANT SELECT, INSERT, UPDATE, DELETE ON platform.process TO balcao_app;

-- How far imports are is shown to operators; where a file lay is not, as its name may be anybody's.
GRANT SELECT (kind, size, byte_offset, lines, changed, unchanged, refused, started_at, committed_at, finished_at)
ON platform.import TO balcao_app;
