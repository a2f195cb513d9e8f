-- Openings of the units: a week, single days instead of it, and the city's holidays (rules: health_units 3.2, 4.2).
-- A list of openings is a JSON array of {inicio, fim}; `semana` has one for each weekday, "1" being Monday.
CREATE TABLE health_units.unit_weekly_hours (
    cnes         text PRIMARY KEY REFERENCES health_units.units,
    semana       jsonb NOT NULL CHECK (jsonb_typeof(semana) = 'object'),
    abre_feriado boolean NOT NULL
);

CREATE TABLE health_units.unit_exceptions (
    cnes       text NOT NULL REFERENCES health_units.units,
    data       date NOT NULL,
    intervalos jsonb NOT NULL CHECK (jsonb_typeof(intervalos) = 'array'),
    motivo     text NOT NULL CHECK (char_length(motivo) BETWEEN 1 AND 200),
    PRIMARY KEY (cnes, data)
);

CREATE TABLE health_units.holidays (
    data        date PRIMARY KEY,
    nome        text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    ambito      text NOT NULL CHECK (ambito IN ('nacional', 'estadual', 'municipal')),
    facultativo boolean NOT NULL,
    fecha       boolean NOT NULL
);

-- The years whose holidays were entered, so that what the city takes out does not come back.
CREATE TABLE health_units.holiday_years (
    ano int PRIMARY KEY
);

-- When the feed's last entry was written: of all processes the same, whatever retention has taken from the feed.
ALTER TABLE health_units.feed_counter ADD COLUMN em timestamptz NOT NULL DEFAULT now();

GRANT SELECT, INSERT, UPDATE ON health_units.unit_weekly_hours TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.unit_exceptions, health_units.holidays TO balcao_app;
GRANT SELECT, INSERT ON health_units.holiday_years TO balcao_app;
