-- "The service number X of old system Y is now this service" (search document, 3.4 and 4.7).

-- The old systems that numbers may come from, in their order; an installation enters its own at start.
CREATE TABLE search.legacy_sources (
    name     text PRIMARY KEY CHECK (char_length(name) BETWEEN 1 AND 100),
    position int GENERATED ALWAYS AS IDENTITY
);
INSERT INTO search.legacy_sources (name) VALUES ('1746_v2_llm'), ('carioca-digital_v2_llm');
GRANT SELECT, INSERT ON search.legacy_sources TO balcao_app;

CREATE TABLE search.tombamentos (
    id                uuid PRIMARY KEY,
    origem            text NOT NULL REFERENCES search.legacy_sources,
    id_servico_antigo text NOT NULL CHECK (char_length(id_servico_antigo) BETWEEN 1 AND 200),
    id_servico_novo   uuid NOT NULL REFERENCES search.service_head,
    criado_em         timestamptz NOT NULL,
    criado_por        text NOT NULL,
    observacoes       text CHECK (char_length(observacoes) <= 20000),
    UNIQUE (origem, id_servico_antigo)
);
CREATE INDEX tombamentos_service ON search.tombamentos (id_servico_novo);
CREATE INDEX tombamentos_order ON search.tombamentos (criado_em DESC, id DESC);
GRANT SELECT, INSERT, UPDATE, DELETE ON search.tombamentos TO balcao_app;

-- Names are compared by `search.fold_label`, which the folded columns are made with.
DROP FUNCTION search.fold_name(text);
