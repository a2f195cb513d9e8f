-- Older jobs (employability document, 3.5). Rows are never removed, so that no id is ever used again.
-- `empresa_id` holds a company's `numero`, `escolaridade_id` the `ordem` of a schooling level.
CREATE TABLE employability.legacy_job (
    id                       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    titulo                   text NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    descricao                text CHECK (char_length(descricao) <= 10000),
    beneficios               text CHECK (char_length(beneficios) <= 10000),
    pre_requisitos           text CHECK (char_length(pre_requisitos) <= 10000),
    contato_duvidas          text CHECK (char_length(contato_duvidas) <= 10000),
    orgao_id                 text CHECK (char_length(orgao_id) BETWEEN 1 AND 50),
    empresa_id               bigint,
    escolaridade_id          integer,
    tipo_contratacao         text NOT NULL CHECK (tipo_contratacao IN ('CLT', 'ESTAGIO', 'JOVEM_APRENDIZ', 'MEI', 'PJ')),
    status                   text NOT NULL CHECK (status IN ('CRIADO', 'ABERTO', 'EM_ANALISE', 'ENCERRADO')),
    jornada_trabalho         text CHECK (jornada_trabalho IN
        ('INTEGRAL', 'MEIO_PERIODO', 'FLEXIVEL', 'ESTAGIO', 'HOME_OFFICE')),
    turno                    text CHECK (turno IN ('MANHA', 'TARDE', 'NOITE', 'INTEGRAL', 'LIVRE')),
    numero_vagas             integer CHECK (numero_vagas BETWEEN 1 AND 10000),
    salario_min              bigint CHECK (salario_min >= 0),
    salario_max              bigint CHECK (salario_max >= 0),
    latitude                 double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude                double precision CHECK (longitude BETWEEN -180 AND 180),
    data_inicio_prevista     timestamptz,
    data_limite_candidatura  timestamptz,
    row_version              bigint NOT NULL DEFAULT 1,
    created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    deleted_at               timestamptz,
    CHECK (salario_min <= salario_max)
);
CREATE INDEX legacy_job_newest ON employability.legacy_job (created_at DESC, id) WHERE deleted_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON employability.legacy_job TO balcao_app;
