-- Jobs with their steps and questions (rules: employability 3.3, 4.1).

-- What the registry last said of the departments that jobs name. A code that an import brought is read later.
CREATE TABLE employability.department (
    cd_ua    text PRIMARY KEY CHECK (char_length(cd_ua) BETWEEN 1 AND 50),
    orgao_id text,
    name     text,
    sigla    text,
    read_at  timestamptz
);

-- The one definition of expiry in SQL; its twin is `show_status` in hiring/listings/states.py, and a test compares them.
CREATE FUNCTION employability.shown_status(status text, data_limite timestamptz, instant timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN status = 'publicado_ativo' AND data_limite <= instant THEN 'publicado_expirado' ELSE status END;

CREATE TABLE employability.job (
    id                              uuid PRIMARY KEY,
    titulo                          text NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    -- The part of the slug that the title gives.
    titulo_slug                     text NOT NULL,
    titulo_folded                   text NOT NULL GENERATED ALWAYS AS (employability.folded(titulo)) STORED,
    descricao                       text NOT NULL CHECK (char_length(descricao) BETWEEN 1 AND 20000),
    id_contratante                  text NOT NULL REFERENCES employability.company ON DELETE RESTRICT,
    id_regime_contratacao           uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_modelo_trabalho              uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_orgao_parceiro               text REFERENCES employability.department,
    bairro                          text CHECK (char_length(bairro) BETWEEN 1 AND 255),
    bairro_folded                   text GENERATED ALWAYS AS (employability.folded(bairro)) STORED,
    data_limite                     timestamptz,
    requisitos                      text CHECK (char_length(requisitos) BETWEEN 1 AND 10000),
    diferenciais                    text CHECK (char_length(diferenciais) BETWEEN 1 AND 10000),
    responsabilidades               text CHECK (char_length(responsabilidades) BETWEEN 1 AND 10000),
    beneficios                      text CHECK (char_length(beneficios) BETWEEN 1 AND 10000),
    valor_vaga                      numeric(12, 2) CHECK (valor_vaga >= 0),
    quantidade_estimada_contratacoes integer CHECK (quantidade_estimada_contratacoes BETWEEN 1 AND 10000),
    acessibilidade_pcd              text CHECK (acessibilidade_pcd IN ('para_pcd', 'preferencial_pcd', 'exclusivo_pcd')),
    idade_minima                    smallint CHECK (idade_minima BETWEEN 0 AND 120),
    idade_maxima                    smallint CHECK (idade_maxima BETWEEN 0 AND 120),
    id_escolaridade_minima          uuid REFERENCES employability.reference_value ON DELETE RESTRICT,
    bairros_elegibilidade           text[] NOT NULL DEFAULT '{}' CHECK (cardinality(bairros_elegibilidade) <= 200),
    areas_formacao_elegibilidade    text[] NOT NULL DEFAULT '{}' CHECK (cardinality(areas_formacao_elegibilidade) <= 50),
    -- As stored: `publicado_expirado` is only ever shown.
    status                          text NOT NULL CHECK (status IN
        ('em_edicao', 'em_aprovacao', 'publicado_ativo', 'vaga_congelada', 'vaga_descontinuada')),
    publicado_em                    timestamptz,
    -- The subject of whom a draft without department belongs to.
    criado_por                      text NOT NULL,
    row_version                     bigint NOT NULL DEFAULT 1,
    created_at                      timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                      timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at                      timestamptz,
    CHECK (idade_minima <= idade_maxima),
    CHECK ((publicado_em IS NULL) = (status IN ('em_edicao', 'em_aprovacao'))),
    CHECK (publicado_em IS NULL OR data_limite IS NOT NULL)
);
CREATE INDEX job_newest ON employability.job (created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX job_department ON employability.job (id_orgao_parceiro, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX job_author ON employability.job (criado_por) WHERE deleted_at IS NULL AND id_orgao_parceiro IS NULL;
CREATE INDEX job_published ON employability.job (publicado_em DESC, id) WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_company ON employability.job (id_contratante);
-- For the foreign keys: whether a reference value may be deleted.
CREATE INDEX job_contract_type ON employability.job (id_regime_contratacao);
CREATE INDEX job_work_model ON employability.job (id_modelo_trabalho);
CREATE INDEX job_schooling ON employability.job (id_escolaridade_minima);

-- Kinds of disability and zones: which of the two a value is, its own row says.
CREATE TABLE employability.job_reference_value (
    job_id   uuid NOT NULL REFERENCES employability.job,
    value_id uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (job_id, value_id)
);
CREATE INDEX job_reference_value_value ON employability.job_reference_value (value_id);

CREATE TABLE employability.job_language (
    job_id          uuid NOT NULL REFERENCES employability.job,
    id_idioma       uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_nivel_minimo uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (job_id, id_idioma)
);
CREATE INDEX job_language_language ON employability.job_language (id_idioma);
CREATE INDEX job_language_level ON employability.job_language (id_nivel_minimo);

CREATE TABLE employability.job_step (
    id         uuid PRIMARY KEY,
    id_vaga    uuid NOT NULL REFERENCES employability.job,
    titulo     text NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    descricao  text NOT NULL CHECK (char_length(descricao) <= 5000),
    ordem      smallint NOT NULL CHECK (ordem BETWEEN 1 AND 30),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- For what refers to a step of a certain job. Its index lists a job's steps, too.
    UNIQUE (id_vaga, id)
);

CREATE TABLE employability.job_question (
    id           uuid PRIMARY KEY,
    id_vaga      uuid NOT NULL REFERENCES employability.job,
    titulo       text NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    obrigatorio  boolean NOT NULL,
    tipo_campo   text NOT NULL CHECK (tipo_campo IN
        ('resposta_curta', 'resposta_numerica', 'selecao_unica', 'selecao_multipla')),
    valor_minimo bigint,
    valor_maximo bigint,
    opcoes       text[] NOT NULL CHECK (cardinality(opcoes) <= 50),
    ordem        smallint NOT NULL CHECK (ordem BETWEEN 1 AND 30),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (valor_minimo <= valor_maximo)
);
CREATE INDEX job_question_job ON employability.job_question (id_vaga);

-- What happened to a job, never changed: `de` and `para` as shown at that moment.
CREATE TABLE employability.job_event (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id_vaga uuid NOT NULL REFERENCES employability.job,
    de      text,
    evento  text NOT NULL,
    para    text NOT NULL,
    em      timestamptz NOT NULL DEFAULT clock_timestamp(),
    por     text NOT NULL,
    motivo  text CHECK (char_length(motivo) BETWEEN 1 AND 500)
);
CREATE INDEX job_event_job ON employability.job_event (id_vaga, id);

-- Older jobs name companies, too.
ALTER TABLE employability.legacy_job
    ADD FOREIGN KEY (empresa_id) REFERENCES employability.company (numero) ON DELETE RESTRICT;
CREATE INDEX legacy_job_company ON employability.legacy_job (empresa_id);

GRANT SELECT, INSERT, UPDATE ON employability.department, employability.job TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON
    employability.job_reference_value, employability.job_language, employability.job_step, employability.job_question
    TO balcao_app;
GRANT SELECT, INSERT ON employability.job_event TO balcao_app;
