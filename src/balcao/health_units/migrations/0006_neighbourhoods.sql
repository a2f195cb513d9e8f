-- Where the city's neighbourhoods are, for people who look for a unit near one (rules: health_units 2.6). `chave` is the
-- name without case and accents.
CREATE TABLE health_units.neighbourhoods (
    chave     text PRIMARY KEY CHECK (char_length(chave) BETWEEN 1 AND 300),
    bairro    text NOT NULL CHECK (char_length(bairro) BETWEEN 1 AND 100),
    latitude  double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.neighbourhoods TO balcao_app;
