-- The tables of the health units: units and their opening hours, notifications of risk, the feed of public changes, and
-- the systems that receive or send those changes.

CREATE SCHEMA health_units;
GRANT USAGE ON SCHEMA health_units TO balcao_app;

-- Units and places.

-- The units. They are deactivated but never deleted, because notifications refer to them.
CREATE TABLE health_units.units (
    cnes          text             PRIMARY KEY CHECK (cnes ~ '^[0-9]{7}$'),
    nome          text             NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 200),
    logradouro    text             CHECK (char_length(logradouro) <= 200),
    numero        text             CHECK (char_length(numero) <= 20),
    complemento   text             CHECK (char_length(complemento) <= 200),
    cep           text             CHECK (cep ~ '^[0-9]{5}-[0-9]{3}$'),
    telefone      text             CHECK (telefone ~ '^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$'),
    celular       text             CHECK (celular ~ '^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$'),
    tipo          text             NOT NULL CHECK (tipo IN ('CF', 'CMS', 'UPA', 'HOSPITAL', 'OUTRO')),
    area          text             CHECK (char_length(area) BETWEEN 1 AND 20),
    bairro        text,
    latitude      double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude     double precision CHECK (longitude BETWEEN -180 AND 180),
    ativa         boolean          NOT NULL DEFAULT true,
    atualizado_em timestamptz      NOT NULL
);
COMMENT ON COLUMN health_units.units.cnes IS 'the number in the national register of health establishments';
COMMENT ON COLUMN health_units.units.area IS 'planning area; it may have no row in `areas`';
GRANT SELECT, INSERT, UPDATE ON health_units.units TO balcao_app;

-- Names and outlines of the planning areas, which maps draw (rules: health_units 2.6).
CREATE TABLE health_units.areas (
    area     text  PRIMARY KEY CHECK (char_length(area) BETWEEN 1 AND 20),
    nome     text  NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    contorno jsonb NOT NULL CHECK (contorno ->> 'type' IN ('Polygon', 'MultiPolygon'))
);
COMMENT ON COLUMN health_units.areas.contorno IS 'a GeoJSON geometry';
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.areas TO balcao_app;

-- Where the neighbourhoods are, for people who look for a unit near one (rules: health_units 2.6).
CREATE TABLE health_units.neighbourhoods (
    chave     text             PRIMARY KEY CHECK (char_length(chave) BETWEEN 1 AND 300),
    bairro    text             NOT NULL CHECK (char_length(bairro) BETWEEN 1 AND 100),
    latitude  double precision NOT NULL CHECK (latitude BETWEEN -90 AND 90),
    longitude double precision NOT NULL CHECK (longitude BETWEEN -180 AND 180)
);
COMMENT ON COLUMN health_units.neighbourhoods.chave IS 'the name without case and accents';
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.neighbourhoods TO balcao_app;

-- Opening hours: a week, single days that replace it, and the holidays of the city (rules: health_units 3.2, 4.2).

-- The week of each unit that has a timetable.
CREATE TABLE health_units.unit_weekly_hours (
    cnes         text    PRIMARY KEY REFERENCES health_units.units,
    semana       jsonb   NOT NULL CHECK (jsonb_typeof(semana) = 'object'),
    abre_feriado boolean NOT NULL
);
COMMENT ON COLUMN health_units.unit_weekly_hours.semana IS
    'openings {inicio, fim} by weekday, from "1" (Monday) to "7"; the unit is closed on a missing day';
GRANT SELECT, INSERT, UPDATE ON health_units.unit_weekly_hours TO balcao_app;

-- Days on which a unit opens at other hours, or not at all.
CREATE TABLE health_units.unit_exceptions (
    cnes       text  NOT NULL REFERENCES health_units.units,
    data       date  NOT NULL,
    intervalos jsonb NOT NULL CHECK (jsonb_typeof(intervalos) = 'array'),
    motivo     text  NOT NULL CHECK (char_length(motivo) BETWEEN 1 AND 200),
    PRIMARY KEY (cnes, data)
);
COMMENT ON COLUMN health_units.unit_exceptions.intervalos IS 'openings {inicio, fim}; empty if the unit is closed';

-- Holidays. Units are closed on those with `fecha`, unless they open on holidays.
CREATE TABLE health_units.holidays (
    data        date    PRIMARY KEY,
    nome        text    NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    ambito      text    NOT NULL CHECK (ambito IN ('nacional', 'estadual', 'municipal')),
    facultativo boolean NOT NULL,
    fecha       boolean NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.unit_exceptions, health_units.holidays TO balcao_app;

-- The years whose national holidays were added. Each year is added once, so a holiday that the city removed stays
-- removed.
CREATE TABLE health_units.holiday_years (
    ano integer PRIMARY KEY
);
GRANT SELECT, INSERT ON health_units.holiday_years TO balcao_app;

-- Notifications of risk.

-- The notifications. A unit has at most one active notification: the unique index decides between concurrent openings.
-- Times are stored in full and shown in whole seconds. The times of one unit never go backwards.
CREATE TABLE health_units.notifications (
    id                 uuid        PRIMARY KEY,
    cnes               text        NOT NULL REFERENCES health_units.units,
    risco              text        NOT NULL CHECK (risco IN ('Verde', 'Amarelo', 'Laranja', 'Vermelho')),
    status             text        NOT NULL CHECK (status IN ('Ativo', 'Encerrado')),
    aberta_em          timestamptz NOT NULL,
    ultima_atualizacao timestamptz NOT NULL CHECK (ultima_atualizacao >= aberta_em),
    encerrada_em       timestamptz,
    causa              text        CHECK (causa IN ('normalizacao', 'engano', 'outro')),
    risco_maximo       text        NOT NULL CHECK (risco_maximo IN ('Verde', 'Amarelo', 'Laranja', 'Vermelho')),
    versao             integer     NOT NULL CHECK (versao >= 1),
    CHECK ((encerrada_em IS NOT NULL) = (status = 'Encerrado')),
    CHECK ((causa IS NOT NULL) = (status = 'Encerrado'))
);
COMMENT ON COLUMN health_units.notifications.causa IS 'why it was closed; the public lists omit mistakes (`engano`)';
COMMENT ON COLUMN health_units.notifications.versao IS 'grows with each event; the ETag';
CREATE UNIQUE INDEX notifications_one_active ON health_units.notifications (cnes) WHERE status = 'Ativo';
CREATE INDEX notifications_newest ON health_units.notifications (cnes, aberta_em DESC);
-- For counts of the notifications that were opened in a period.
CREATE INDEX notifications_opened ON health_units.notifications (aberta_em);
GRANT SELECT, INSERT, UPDATE ON health_units.notifications TO balcao_app;

-- The log of each notification, retained without limit. Replaying it gives the row in `notifications`.
CREATE TABLE health_units.notification_events (
    id              uuid        PRIMARY KEY,
    notification_id uuid        NOT NULL REFERENCES health_units.notifications,
    tipo            text        NOT NULL CHECK (tipo IN ('abertura', 'mudanca', 'confirmacao', 'encerramento')),
    risco_antes     text,
    risco_depois    text        NOT NULL,
    causa           text,
    motivo          text        CHECK (char_length(motivo) <= 1000),
    ocorrencia      text,
    consequencias   text[]      NOT NULL DEFAULT '{}',
    autor_sub       text        NOT NULL,
    autor_nome      text        NOT NULL,
    em              timestamptz NOT NULL,
    CHECK ((risco_antes IS NULL) = (tipo = 'abertura')),
    CHECK ((causa IS NOT NULL) = (tipo = 'encerramento'))
);
COMMENT ON COLUMN health_units.notification_events.ocorrencia IS 'a code of `reference_values`, as are the `consequencias`';
CREATE UNIQUE INDEX notification_events_in_order ON health_units.notification_events (notification_id, em);
-- For the newest events of the whole city.
CREATE INDEX notification_events_newest ON health_units.notification_events (em DESC, id DESC);
GRANT SELECT, INSERT ON health_units.notification_events TO balcao_app;

-- The kinds of occurrence and the consequences for the unit, as the department names them. Values are switched off
-- but never deleted, because the log contains their codes (rules: health_units 2.4).
CREATE TABLE health_units.reference_values (
    lista  text    NOT NULL CHECK (lista IN ('ocorrencias', 'consequencias')),
    codigo text    NOT NULL CHECK (codigo ~ '^[a-z0-9_]{1,40}$'),
    nome   text    NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    ativo  boolean NOT NULL DEFAULT true,
    PRIMARY KEY (lista, codigo)
);
INSERT INTO health_units.reference_values (lista, codigo, nome) VALUES
    ('ocorrencias', 'confronto_armado', 'Confronto armado'),
    ('ocorrencias', 'operacao_policial', 'Operação policial'),
    ('ocorrencias', 'ameaca_a_equipe', 'Ameaça à equipe'),
    ('ocorrencias', 'via_interditada', 'Via interditada'),
    ('ocorrencias', 'manifestacao', 'Manifestação'),
    ('ocorrencias', 'alagamento', 'Alagamento'),
    ('ocorrencias', 'falta_de_energia', 'Falta de energia'),
    ('ocorrencias', 'falta_de_agua', 'Falta de água'),
    ('ocorrencias', 'outra', 'Outra'),
    ('consequencias', 'visitas_suspensas', 'Visitas domiciliares suspensas'),
    ('consequencias', 'acesso_limitado', 'Acesso limitado à unidade'),
    ('consequencias', 'vacinacao_suspensa', 'Vacinação suspensa'),
    ('consequencias', 'consultas_remarcadas', 'Consultas remarcadas'),
    ('consequencias', 'equipe_retirada', 'Equipe retirada da unidade'),
    ('consequencias', 'unidade_fechada', 'Unidade fechada'),
    ('consequencias', 'outra', 'Outra');
GRANT SELECT, INSERT, UPDATE ON health_units.reference_values TO balcao_app;

-- The feed of public changes.

-- The number of the last entry: one row. Writers hold its lock until they commit, so entries become visible in the
-- order of their numbers, without gaps.
CREATE TABLE health_units.feed_counter (
    one  boolean     PRIMARY KEY DEFAULT true CHECK (one),
    last bigint      NOT NULL,
    em   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN health_units.feed_counter.em IS 'the time of the last entry, even if retention has deleted that entry';
INSERT INTO health_units.feed_counter (last) VALUES (0);
GRANT SELECT, UPDATE ON health_units.feed_counter TO balcao_app;

-- The changes that listeners and webhooks receive, for seven days. Retention runs as the owner.
CREATE TABLE health_units.change_feed (
    sequencia bigint      PRIMARY KEY,
    tipo      text        NOT NULL CHECK (tipo IN ('risco', 'unidade')),
    cnes      text        NOT NULL REFERENCES health_units.units,
    em        timestamptz NOT NULL,
    dados     jsonb       NOT NULL
);
COMMENT ON COLUMN health_units.change_feed.em IS 'the time of publication';
GRANT SELECT, INSERT ON health_units.change_feed TO balcao_app;

-- Other systems (rules: health_units 2.5).

-- Receivers of a signed request for each public change.
CREATE TABLE health_units.webhooks (
    id                uuid        PRIMARY KEY,
    url               text        NOT NULL CHECK (char_length(url) <= 500),
    descricao         text        CHECK (char_length(descricao) <= 200),
    unidades          text[]      NOT NULL,
    ativo             boolean     NOT NULL,
    segredo           bytea       NOT NULL CHECK (length(segredo) = 32),
    segredo_anterior  bytea,
    anterior_ate      timestamptz,
    criado_em         timestamptz NOT NULL,
    ultima_entrega_em timestamptz,
    ultima_falha_em   timestamptz,
    ultimo_erro       text
);
COMMENT ON COLUMN health_units.webhooks.unidades IS 'empty: all units';
COMMENT ON COLUMN health_units.webhooks.segredo_anterior IS
    'requests are signed with both secrets until `anterior_ate`, so that the receiver can change over';
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.webhooks TO balcao_app;

-- The messages that were sent to a webhook, each with its last attempts.
CREATE TABLE health_units.webhook_deliveries (
    aviso       uuid        NOT NULL REFERENCES health_units.webhooks ON DELETE CASCADE,
    mensagem    text        NOT NULL,
    sequencia   bigint,
    ultima_em   timestamptz NOT NULL,
    entregue_em timestamptz,
    ultimo_erro text,
    tentativas  jsonb       NOT NULL CHECK (jsonb_typeof(tentativas) = 'array'),
    PRIMARY KEY (aviso, mensagem)
);
COMMENT ON COLUMN health_units.webhook_deliveries.sequencia IS 'the entry of the feed; null for a test message';
COMMENT ON COLUMN health_units.webhook_deliveries.tentativas IS 'objects {em, erro}, oldest first';
CREATE INDEX webhook_deliveries_newest ON health_units.webhook_deliveries (aviso, ultima_em DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.webhook_deliveries TO balcao_app;

-- The systems of the department that the platform reads every minute, and the result of the last read.
CREATE TABLE health_units.sources (
    nome      text        PRIMARY KEY,
    ouvida_em timestamptz,
    mudou_em  timestamptz,
    linhas    integer     NOT NULL DEFAULT 0,
    recusadas integer     NOT NULL DEFAULT 0,
    conteudo  bytea,
    falhou_em timestamptz,
    erro      text
);
COMMENT ON COLUMN health_units.sources.ouvida_em IS 'the last answer, with new content or not';
COMMENT ON COLUMN health_units.sources.conteudo IS 'digest of the last content that was read completely: the same content is not parsed again';
GRANT SELECT, INSERT, UPDATE ON health_units.sources TO balcao_app;
