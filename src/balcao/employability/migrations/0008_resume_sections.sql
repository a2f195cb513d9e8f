-- The other sections of a resume, the person's situation, terms and onboarding (rules: employability 2.8, 2.9, 3.6).
-- What refers to a reference value keeps it from being deleted.
CREATE TABLE employability.education (
    id               uuid PRIMARY KEY,
    cpf              text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_escolaridade  uuid REFERENCES employability.reference_value ON DELETE RESTRICT,
    nome_instituicao text CHECK (char_length(nome_instituicao) BETWEEN 1 AND 120),
    nome_curso       text CHECK (char_length(nome_curso) BETWEEN 1 AND 120),
    status           text CHECK (status IN ('Completo', 'Em andamento', 'Incompleto')),
    ano_conclusao    text CHECK (ano_conclusao ~ '^[0-9]{4}$'),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX education_cpf ON employability.education (cpf);
CREATE INDEX education_schooling ON employability.education (id_escolaridade);

CREATE TABLE employability.resume_language (
    id         uuid PRIMARY KEY,
    cpf        text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_idioma  uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_nivel   uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT resume_language_once UNIQUE (cpf, id_idioma)
);
CREATE INDEX resume_language_language ON employability.resume_language (id_idioma);
CREATE INDEX resume_language_level ON employability.resume_language (id_nivel);

CREATE TABLE employability.course (
    id               uuid PRIMARY KEY,
    cpf              text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    nome_curso       text NOT NULL CHECK (char_length(nome_curso) BETWEEN 1 AND 120),
    nome_instituicao text CHECK (char_length(nome_instituicao) BETWEEN 1 AND 120),
    ano_conclusao    text CHECK (ano_conclusao ~ '^[0-9]{4}$'),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX course_cpf ON employability.course (cpf);

CREATE TABLE employability.achievement (
    id                uuid PRIMARY KEY,
    cpf               text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_tipo_conquista uuid REFERENCES employability.reference_value ON DELETE RESTRICT,
    titulo            text NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 120),
    descricao         text CHECK (char_length(descricao) <= 2000),
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at        timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX achievement_cpf ON employability.achievement (cpf);
CREATE INDEX achievement_type ON employability.achievement (id_tipo_conquista);

CREATE TABLE employability.job_search (
    cpf                      text PRIMARY KEY REFERENCES employability.resume ON DELETE CASCADE,
    id_situacao              uuid REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_disponibilidade       uuid REFERENCES employability.reference_value ON DELETE RESTRICT,
    tempo_procurando_emprego text CHECK (tempo_procurando_emprego IN
        ('UP_TO_6', 'FROM_7_TO_12', 'FROM_13_TO_24', 'OVER_24')),
    created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at               timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX job_search_situation ON employability.job_search (id_situacao);
CREATE INDEX job_search_availability ON employability.job_search (id_disponibilidade);

CREATE TABLE employability.preferred_contract (
    cpf       text NOT NULL REFERENCES employability.job_search ON DELETE CASCADE,
    place     integer NOT NULL,
    id_regime uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (cpf, id_regime)
);
CREATE INDEX preferred_contract_type ON employability.preferred_contract (id_regime);

-- Links begin far from the entries' ids, so that one taken for the other finds nothing.
CREATE TABLE employability.skill_link (
    id                         bigint GENERATED ALWAYS AS IDENTITY (START WITH 100001) PRIMARY KEY,
    cpf                        text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_area_atuacao_habilidade bigint NOT NULL REFERENCES employability.skill_area ON DELETE RESTRICT,
    created_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT skill_link_once UNIQUE (cpf, id_area_atuacao_habilidade)
);
CREATE INDEX skill_link_entry ON employability.skill_link (id_area_atuacao_habilidade);

-- Only the newest acceptance of a person; a newer version of the terms is accepted anew.
CREATE TABLE employability.terms_acceptance (
    cpf        text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    version    text NOT NULL,
    aceito_em  timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE employability.onboarding (
    cpf          text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    completed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

GRANT SELECT, INSERT, UPDATE, DELETE ON
    employability.education, employability.resume_language, employability.course, employability.achievement,
    employability.job_search, employability.preferred_contract, employability.skill_link,
    employability.terms_acceptance, employability.onboarding TO balcao_app;
