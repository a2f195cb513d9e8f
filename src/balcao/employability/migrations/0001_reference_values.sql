-- The ten small tables of the employability document, 2.2 and 3.1, as one keyed by kind, and the catalogue of behaviours.
CREATE SCHEMA employability;
GRANT USAGE ON SCHEMA employability TO balcao_app;

-- The one definition of "the same text": case, accents and runs of blanks do not count. Collation "C" and the
-- decomposed form make it the same on every server, whatever its locale.
CREATE FUNCTION employability.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

CREATE TABLE employability.reference_value (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN (
        'regimes-contratacao', 'modelos-trabalho', 'tipos-pcd', 'idiomas', 'niveis-idioma', 'escolaridades',
        'tipos-conquista', 'situacoes-atual', 'disponibilidades', 'zonas')),
    descricao  text NOT NULL CHECK (char_length(descricao) BETWEEN 1 AND 255),
    folded     text NOT NULL GENERATED ALWAYS AS (employability.folded(descricao)) STORED,
    posicao    integer NOT NULL CHECK (posicao BETWEEN 1 AND 32767),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT reference_value_same UNIQUE (kind, folded)
);
CREATE INDEX reference_value_order ON employability.reference_value (kind, posicao, id);

CREATE TABLE employability.behaviour (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT behaviour_same UNIQUE (folded)
);

GRANT EXECUTE ON FUNCTION employability.folded TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON employability.reference_value, employability.behaviour TO balcao_app;
