-- What operators change while the platform runs, until they take it back or it ends: services in maintenance (the value
-- is the sentence for callers) and rates (the value is the rate in force). A few rows, copied into every process.
CREATE TABLE platform.live_change (
    kind       text        NOT NULL CHECK (kind IN ('maintenance', 'rate')),
    name       text        NOT NULL,
    value      text        NOT NULL CHECK (value <> ''),
    changed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    ends_at    timestamptz,
    author     text        NOT NULL,
    PRIMARY KEY (kind, name)
);
COMMENT ON COLUMN platform.live_change.name IS 'a service; or a limit as `balcao limits show` names it';
COMMENT ON COLUMN platform.live_change.author IS 'login and machine of the operator';

GRANT SELECT, INSERT, UPDATE, DELETE ON platform.live_change TO balcao_app;
