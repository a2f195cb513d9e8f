-- Health units, the notifications of risk about them, and the numbered feed of public changes
-- (health-units document, section 3).
CREATE SCHEMA health_units;
GRANT USAGE ON SCHEMA health_units TO balcao_app;

CREATE TABLE health_units.units (
    cnes          text PRIMARY KEY CHECK (cnes ~ '^[0-9]{7}$'),
    nome          text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 200),
    logradouro    text CHECK (char_length(logradouro) <= 200),
    numero        text CHECK (char_length(numero) <= 20),
    complemento   text CHECK (char_length(complemento) <= 200),
    cep           text CHECK (cep ~ '^[0-9]{5}-[0-9]{3}$'),
    telefone      text CHECK (telefone ~ '^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$'),
    celular       text CHECK (celular ~ '^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$'),
    tipo          text NOT NULL CHECK (tipo IN ('CF', 'CMS', 'UPA', 'HOSPITAL', 'OUTRO')),
    area          text CHECK (char_length(area) BETWEEN 1 AND 20),
    bairro        text,
    latitude      double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude     double precision CHECK (longitude BETWEEN -180 AND 180),
    ativa         boolean NOT NULL DEFAULT true,
    atualizado_em timestamptz NOT NULL
);

-- Instants are whole seconds, as they are shown; those of one unit never go backwards.
CREATE TABLE health_units.notifications (
    id                 uuid PRIMARY KEY,
    cnes               text NOT NULL REFERENCES health_units.units,
    risco              text NOT NULL CHECK (risco IN ('Verde', 'Amarelo', 'Laranja', 'Vermelho')),
    status             text NOT NULL CHECK (status IN ('Ativo', 'Encerrado')),
    aberta_em          timestamptz NOT NULL,
    ultima_atualizacao timestamptz NOT NULL CHECK (ultima_atualizacao >= aberta_em),
    encerrada_em       timestamptz,
    causa              text CHECK (causa IN ('normalizacao', 'engano', 'outro')),
    risco_maximo       text NOT NULL CHECK (risco_maximo IN ('Verde', 'Amarelo', 'Laranja', 'Vermelho')),
    versao             int NOT NULL CHECK (versao >= 1),
    CHECK ((encerrada_em IS NOT NULL) = (status = 'Encerrado')),
    CHECK ((causa IS NOT NULL) = (status = 'Encerrado'))
);
CREATE UNIQUE INDEX notifications_one_active ON health_units.notifications (cnes) WHERE status = 'Ativo';
CREATE INDEX notifications_newest ON health_units.notifications (cnes, aberta_em DESC);

-- What happened, for ever; the state above is what replaying these gives.
CREATE TABLE health_units.notification_events (
    id              uuid PRIMARY KEY,
    notification_id uuid NOT NULL REFERENCES health_units.notifications,
    tipo            text NOT NULL CHECK (tipo IN ('abertura', 'mudanca', 'confirmacao', 'encerramento')),
    risco_antes     text,
    risco_depois    text NOT NULL,
    causa           text,
    motivo          text CHECK (char_length(motivo) <= 1000),
    autor_sub       text NOT NULL,
    autor_nome      text NOT NULL,
    em              timestamptz NOT NULL,
    CHECK ((risco_antes IS NULL) = (tipo = 'abertura')),
    CHECK ((causa IS NOT NULL) = (tipo = 'encerramento'))
);
CREATE UNIQUE INDEX notification_events_in_order ON health_units.notification_events (notification_id, em);

-- One row: its lock makes commit order the order of the numbers, without gap.
CREATE TABLE health_units.feed_counter (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    last bigint NOT NULL
);
INSERT INTO health_units.feed_counter (last) VALUES (0);

CREATE TABLE health_units.change_feed (
    sequencia bigint PRIMARY KEY,
    tipo      text NOT NULL CHECK (tipo IN ('risco', 'unidade')),
    cnes      text NOT NULL REFERENCES health_units.units,
    em        timestamptz NOT NULL,
    dados     jsonb NOT NULL
);

GRANT SELECT, INSERT, UPDATE ON health_units.units, health_units.notifications TO balcao_app;
GRANT SELECT, INSERT ON health_units.notification_events, health_units.change_feed TO balcao_app;
GRANT SELECT, UPDATE ON health_units.feed_counter TO balcao_app;
