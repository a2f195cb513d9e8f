-- Who is told of each public change by a signed call (rules: health_units 2.5). The secrets sign what is sent; the one
-- before is used besides until `anterior_ate`, so that a receiver can change over.
CREATE TABLE health_units.webhooks (
    id                uuid PRIMARY KEY,
    url               text NOT NULL CHECK (char_length(url) <= 500),
    descricao         text CHECK (char_length(descricao) <= 200),
    unidades          text[] NOT NULL,
    ativo             boolean NOT NULL,
    segredo           bytea NOT NULL CHECK (length(segredo) = 32),
    segredo_anterior  bytea,
    anterior_ate      timestamptz,
    criado_em         timestamptz NOT NULL,
    ultima_entrega_em timestamptz,
    ultima_falha_em   timestamptz,
    ultimo_erro       text
);
GRANT SELECT, INSERT, UPDATE, DELETE ON health_units.webhooks TO balcao_app;

-- The systems of the department that are read every minute, and when each was last heard (rules: health_units 2.5).
CREATE TABLE health_units.sources (
    nome          text PRIMARY KEY,
    ouvida_em     timestamptz,
    mudou_em      timestamptz,
    linhas        int NOT NULL DEFAULT 0,
    recusadas     int NOT NULL DEFAULT 0,
    conteudo      bytea,
    falhou_em     timestamptz,
    erro          text
);
GRANT SELECT, INSERT, UPDATE ON health_units.sources TO balcao_app;
