-- The base record as the city loads it, the mirror that citizens, staff and CRM write, and the events that wait
-- (registry document, 3.1 and 3.4).
CREATE TABLE registry.base_record (
    cpf       text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    record    jsonb NOT NULL,
    source    text NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE registry.mirror_head (
    cpf                 text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    anonymised_at       timestamptz CHECK (isfinite(anonymised_at)),
    consents_cleared_at timestamptz CHECK (isfinite(consents_cleared_at)),
    last_event_at       timestamptz
);

-- A cleared register stays as a row with JSON null, so that an older event cannot revive it.
CREATE TABLE registry.register (
    cpf          text NOT NULL REFERENCES registry.mirror_head,
    field        text NOT NULL,
    value        jsonb NOT NULL,
    at           timestamptz NOT NULL CHECK (isfinite(at)),
    origin       text NOT NULL CHECK (origin IN ('citizen', 'staff', 'crm')),
    pushed_value jsonb,
    pushed_at    timestamptz,
    PRIMARY KEY (cpf, field)
);

-- What the citizen typed where the CRM form is poorer; shown while the register still holds `wire`.
CREATE TABLE registry.wording (
    cpf   text NOT NULL REFERENCES registry.mirror_head,
    kind  text NOT NULL CHECK (kind IN ('endereco', 'telefone', 'genero')),
    value jsonb NOT NULL,
    wire  text NOT NULL,
    at    timestamptz NOT NULL CHECK (isfinite(at)),
    PRIMARY KEY (cpf, kind)
);

CREATE TABLE registry.crm_consentimentos (
    cpf        text NOT NULL REFERENCES registry.mirror_head,
    categoria  text NOT NULL,
    canal      text NOT NULL,
    status     text NOT NULL CHECK (status IN ('IN', 'OUT')),
    acao       text,
    data       text,
    finalidade text,
    motivo     text,
    at         timestamptz NOT NULL CHECK (isfinite(at)),
    origin     text NOT NULL CHECK (origin IN ('citizen', 'staff', 'crm')),
    PRIMARY KEY (cpf, categoria, canal)
);

CREATE TABLE registry.crm_event (
    id             uuid PRIMARY KEY,
    cpf            text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    evento         text NOT NULL CHECK (evento IN ('atualizacao', 'anonimizacao')),
    event_at       timestamptz NOT NULL CHECK (isfinite(event_at)),
    dados          jsonb,
    dados_sha256   bytea NOT NULL,
    has_updated_at boolean NOT NULL,
    accepted_at    timestamptz NOT NULL DEFAULT now(),
    azp            text NOT NULL,
    request_id     text NOT NULL,
    applied_at     timestamptz,
    result         text CHECK (result IN ('applied', 'partly_older', 'older', 'no_effect', 'anonymised')),
    CHECK ((applied_at IS NULL) = (result IS NULL)),
    CHECK (applied_at IS NULL OR dados IS NULL)
);
CREATE UNIQUE INDEX crm_event_same ON registry.crm_event (cpf, evento, event_at, dados_sha256) WHERE has_updated_at;
CREATE INDEX crm_event_waiting ON registry.crm_event (cpf) WHERE applied_at IS NULL;

GRANT SELECT ON registry.base_record TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    registry.mirror_head, registry.register, registry.wording, registry.crm_consentimentos TO balcao_app;
GRANT SELECT, INSERT, UPDATE ON registry.crm_event TO balcao_app;
