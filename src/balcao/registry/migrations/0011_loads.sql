-- What the city loads: the wallet beside the base record, the service tickets, and how far each import has come
-- (registry document, 3.1 and 3.3).

-- In the same row, as both come in one line, but apart: the merged record is read often and never looks at it.
ALTER TABLE registry.base_record ADD COLUMN wallet jsonb;

CREATE TABLE registry.ticket (
    cpf                        text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id                         text NOT NULL CHECK (char_length(id) BETWEEN 1 AND 100),
    id_chamado                 text,
    categoria                  text,
    tipo                       text,
    subtipo                    text,
    status                     text NOT NULL,
    descricao                  text,
    endereco                   text,
    nome_unidade_organizacional text,
    origem_ocorrencia          text,
    data_inicio                timestamptz NOT NULL CHECK (isfinite(data_inicio)),
    data_alvo_finalizacao      timestamptz CHECK (isfinite(data_alvo_finalizacao)),
    data_fim                   timestamptz CHECK (isfinite(data_fim)),
    indicador                  boolean NOT NULL,
    PRIMARY KEY (cpf, id)
);
CREATE INDEX ticket_newest ON registry.ticket (cpf, data_inicio DESC, id DESC);

-- The last import of each kind: the file, and what of it has been committed. Of the file only its digest is kept.
CREATE TABLE registry.import (
    kind         text PRIMARY KEY,
    sha256       bytea NOT NULL,
    size         bigint NOT NULL,
    source       text NOT NULL,
    byte_offset  bigint NOT NULL,
    lines        bigint NOT NULL,
    changed      bigint NOT NULL,
    unchanged    bigint NOT NULL,
    refused      bigint NOT NULL,
    started_at   timestamptz NOT NULL DEFAULT now(),
    committed_at timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz
);

GRANT SELECT ON registry.ticket TO balcao_app;
