-- The names and outlines of the city's areas: what a map draws (rules: health_units 2.6). Reach goes by the unit's `area`.
CREATE TABLE health_units.areas (
    area     text PRIMARY KEY CHECK (char_length(area) BETWEEN 1 AND 20),
    nome     text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    contorno jsonb NOT NULL CHECK (contorno ->> 'type' IN ('Polygon', 'MultiPolygon'))
);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.areas TO balcao_app;

-- The newest events of the whole city are read in this order (rules: health_units 2.3).
CREATE INDEX notification_events_newest ON health_units.notification_events (em DESC, id DESC);

-- What was sent to a webhook, with every try: `tentativas` is an array of {em, erro}, the oldest first
-- (rules: health_units 2.5). `sequencia` is the entry of the feed, null for a test.
CREATE TABLE health_units.webhook_deliveries (
    aviso       uuid NOT NULL REFERENCES health_units.webhooks ON DELETE CASCADE,
    mensagem    text NOT NULL,
    sequencia   bigint,
    ultima_em   timestamptz NOT NULL,
    entregue_em timestamptz,
    ultimo_erro text,
    tentativas  jsonb NOT NULL CHECK (jsonb_typeof(tentativas) = 'array'),
    PRIMARY KEY (aviso, mensagem)
);
CREATE INDEX webhook_deliveries_newest ON health_units.webhook_deliveries (aviso, ultima_em DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.webhook_deliveries TO balcao_app;
