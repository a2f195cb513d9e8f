-- What operators tell the public of a trouble: one incident, and everything that was said of it, in order. The status
-- page shows both to everybody, but for the authors.
CREATE TABLE platform.incident (
    number      bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
    title       text        NOT NULL CHECK (title <> ''),
    services    text[]      NOT NULL CHECK (cardinality(services) > 0),
    severity    text        NOT NULL CHECK (severity IN ('degraded', 'down')),
    opened_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    resolved_at timestamptz CHECK (resolved_at >= opened_at)
);
CREATE INDEX incident_age ON platform.incident (opened_at);

CREATE TABLE platform.incident_note (
    incident   bigint      NOT NULL REFERENCES platform.incident ON DELETE CASCADE,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    words      text        NOT NULL CHECK (words <> ''),
    author     text        NOT NULL,
    PRIMARY KEY (incident, written_at)
);
COMMENT ON COLUMN platform.incident_note.author IS 'login and machine of the operator';

GRANT SELECT, INSERT, UPDATE, DELETE ON platform.incident, platform.incident_note TO balcao_app;

-- A maintenance that is announced and begins by itself; null for one that began when it was said.
ALTER TABLE platform.live_change ADD COLUMN begins_at timestamptz;
