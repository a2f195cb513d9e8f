-- The tables of employability. `functions/` contains the other functions of this schema and its triggers.
CREATE SCHEMA employability;
GRANT USAGE ON SCHEMA employability TO balcao_app;
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- Return the form in which texts are compared: without case, accents and repeated spaces. Two texts are the same if
-- their folded forms are equal. Generated columns store this form. Collation "C" and the decomposed Unicode form make
-- the result equal on every server, whatever its locale.
CREATE FUNCTION employability.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

-- Return the folded form of each text. The index `job_training` uses it.
CREATE FUNCTION employability.folded_all(texts text[]) RETURNS text[] LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT coalesce(array_agg(employability.folded(each)), '{}') FROM unnest(texts) AS each
$$;
GRANT EXECUTE ON FUNCTION employability.folded, employability.folded_all TO balcao_app;

-- Lists from which resumes and jobs choose. A value that is in use cannot be deleted (rules: employability 2.2, 2.3,
-- 3.1).

-- Ten short lists in one table: contract types, work models, kinds of disability, languages and so on.
CREATE TABLE employability.reference_value (
    id         uuid        PRIMARY KEY,
    kind       text        NOT NULL CHECK (kind IN (
        'regimes-contratacao', 'modelos-trabalho', 'tipos-pcd', 'idiomas', 'niveis-idioma', 'escolaridades',
        'tipos-conquista', 'situacoes-atual', 'disponibilidades', 'zonas')),
    descricao  text        NOT NULL CHECK (char_length(descricao) BETWEEN 1 AND 255),
    folded     text        NOT NULL GENERATED ALWAYS AS (employability.folded(descricao)) STORED,
    posicao    integer     NOT NULL CHECK (posicao BETWEEN 1 AND 32767),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT reference_value_same UNIQUE (kind, folded)
);
COMMENT ON COLUMN employability.reference_value.posicao IS 'the place in its list; for schooling, also its rank';
CREATE INDEX reference_value_order ON employability.reference_value (kind, posicao, id);

-- Behaviours, such as `Proatividade`.
CREATE TABLE employability.behaviour (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text        NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text        NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT behaviour_same UNIQUE (folded)
);

CREATE TABLE employability.work_area (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text        NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text        NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT work_area_same UNIQUE (folded)
);

CREATE TABLE employability.skill (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text        NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text        NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT skill_same UNIQUE (folded)
);

-- A skill in one of its areas of work. Resumes refer to these rows.
CREATE TABLE employability.skill_area (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    skill_id bigint NOT NULL REFERENCES employability.skill ON DELETE RESTRICT,
    area_id  bigint NOT NULL REFERENCES employability.work_area ON DELETE RESTRICT,
    CONSTRAINT skill_area_once UNIQUE (skill_id, area_id)
);
CREATE INDEX skill_area_area ON employability.skill_area (area_id);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON employability.reference_value, employability.behaviour, employability.work_area, employability.skill,
       employability.skill_area
    TO balcao_app;

-- Who offers jobs: companies, and the departments of the city that are responsible for a job.

-- Companies that advertise jobs (rules: employability 2.4, 3.2).
CREATE TABLE employability.company (
    cnpj          text        PRIMARY KEY CHECK (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
    numero        bigint      NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    razao_social  text        NOT NULL CHECK (char_length(razao_social) BETWEEN 1 AND 500),
    nome_fantasia text        CHECK (char_length(nome_fantasia) BETWEEN 1 AND 500),
    descricao     text        CHECK (char_length(descricao) <= 5000),
    url_logo      text        CHECK (char_length(url_logo) <= 1000),
    website       text        CHECK (char_length(website) <= 1000),
    setor         text        CHECK (char_length(setor) BETWEEN 1 AND 500),
    porte         text        CHECK (char_length(porte) BETWEEN 1 AND 100),
    -- Lists are sorted by this name.
    sort_name     text        NOT NULL
        GENERATED ALWAYS AS (employability.folded(coalesce(nome_fantasia, razao_social))) STORED,
    -- Both names, separated by a character that no name contains.
    search_text   text        NOT NULL
        GENERATED ALWAYS AS (employability.folded(razao_social || chr(31) || coalesce(nome_fantasia, ''))) STORED,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN employability.company.numero IS 'older jobs refer to it as `empresa_id`';
CREATE INDEX company_order ON employability.company (sort_name, cnpj);
GRANT SELECT, INSERT, UPDATE, DELETE ON employability.company TO balcao_app;

-- Copies of the registry's departments, for those that jobs name. An import inserts only the code, and a background job
-- reads the other columns from the registry later.
CREATE TABLE employability.department (
    cd_ua    text        PRIMARY KEY CHECK (char_length(cd_ua) BETWEEN 1 AND 50),
    orgao_id text,
    name     text,
    sigla    text,
    read_at  timestamptz
);
COMMENT ON COLUMN employability.department.read_at IS 'when the registry was last read; null before the first time';
GRANT SELECT, INSERT, UPDATE ON employability.department TO balcao_app;

-- Jobs (rules: employability 2.5, 2.6, 3.3, 4.1). A removed job keeps its row with `deleted_at`.

CREATE TABLE employability.job (
    id                               uuid           PRIMARY KEY,
    titulo                           text           NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    titulo_slug                      text           NOT NULL,
    titulo_folded                    text           NOT NULL GENERATED ALWAYS AS (employability.folded(titulo)) STORED,
    descricao                        text           NOT NULL CHECK (char_length(descricao) BETWEEN 1 AND 20000),
    id_contratante                   text           NOT NULL REFERENCES employability.company ON DELETE RESTRICT,
    id_orgao_parceiro                text           REFERENCES employability.department,
    id_regime_contratacao            uuid           NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_modelo_trabalho               uuid           NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    bairro                           text           CHECK (char_length(bairro) BETWEEN 1 AND 255),
    bairro_folded                    text           GENERATED ALWAYS AS (employability.folded(bairro)) STORED,
    requisitos                       text           CHECK (char_length(requisitos) BETWEEN 1 AND 10000),
    diferenciais                     text           CHECK (char_length(diferenciais) BETWEEN 1 AND 10000),
    responsabilidades                text           CHECK (char_length(responsabilidades) BETWEEN 1 AND 10000),
    beneficios                       text           CHECK (char_length(beneficios) BETWEEN 1 AND 10000),
    valor_vaga                       numeric(12, 2) CHECK (valor_vaga >= 0),
    quantidade_estimada_contratacoes integer        CHECK (quantidade_estimada_contratacoes BETWEEN 1 AND 10000),
    data_limite                      timestamptz,
    -- Who may apply. `job_reference_value` and `job_language` contain the other criteria.
    acessibilidade_pcd               text           CHECK (acessibilidade_pcd IN
        ('para_pcd', 'preferencial_pcd', 'exclusivo_pcd')),
    idade_minima                     smallint       CHECK (idade_minima BETWEEN 0 AND 120),
    idade_maxima                     smallint       CHECK (idade_maxima BETWEEN 0 AND 120),
    id_escolaridade_minima           uuid           REFERENCES employability.reference_value ON DELETE RESTRICT,
    bairros_elegibilidade            text[]         NOT NULL DEFAULT '{}'
        CHECK (cardinality(bairros_elegibilidade) <= 200),
    areas_formacao_elegibilidade     text[]         NOT NULL DEFAULT '{}'
        CHECK (cardinality(areas_formacao_elegibilidade) <= 50),
    -- The state. `publicado_expirado` is never stored: `shown_status` returns it once the deadline has passed.
    status                           text           NOT NULL CHECK (status IN
        ('em_edicao', 'em_aprovacao', 'publicado_ativo', 'vaga_congelada', 'vaga_descontinuada')),
    publicado_em                     timestamptz,
    criado_por                       text           NOT NULL,
    row_version                      bigint         NOT NULL DEFAULT 1,
    created_at                       timestamptz    NOT NULL DEFAULT clock_timestamp(),
    updated_at                       timestamptz    NOT NULL DEFAULT clock_timestamp(),
    deleted_at                       timestamptz,
    CHECK (idade_minima <= idade_maxima),
    CHECK ((publicado_em IS NULL) = (status IN ('em_edicao', 'em_aprovacao'))),
    CHECK (publicado_em IS NULL OR data_limite IS NOT NULL)
);
COMMENT ON COLUMN employability.job.titulo_slug IS 'the part of the slug that the title gives; the id gives the rest';
COMMENT ON COLUMN employability.job.id_orgao_parceiro IS 'the department that is responsible for the job';
COMMENT ON COLUMN employability.job.data_limite IS 'the deadline for applications';
COMMENT ON COLUMN employability.job.criado_por IS
    'the author: the `sub` of their token. Only the author and staff of the whole city reach a job without department';
-- A list also counts all its matches. The columns by which it can be filtered are therefore in the index that orders
-- it, so that no list reads the wide rows of the whole table.
CREATE INDEX job_newest ON employability.job (created_at DESC, id)
    INCLUDE (status, data_limite, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho,
        acessibilidade_pcd, id_orgao_parceiro, criado_por)
    WHERE deleted_at IS NULL;
CREATE INDEX job_department ON employability.job (id_orgao_parceiro, created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX job_author ON employability.job (criado_por) WHERE deleted_at IS NULL AND id_orgao_parceiro IS NULL;
-- Visitors sort published jobs by publication, deadline or salary.
CREATE INDEX job_published ON employability.job (publicado_em DESC, id)
    INCLUDE (status, data_limite, id_contratante, id_regime_contratacao, id_modelo_trabalho, acessibilidade_pcd,
        valor_vaga, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_deadline ON employability.job (data_limite, id)
    INCLUDE (status, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho, acessibilidade_pcd,
        valor_vaga, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
CREATE INDEX job_salary ON employability.job (valor_vaga DESC NULLS LAST, id)
    INCLUDE (status, data_limite, publicado_em, id_contratante, id_regime_contratacao, id_modelo_trabalho,
        acessibilidade_pcd, id_escolaridade_minima)
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL;
-- Searches in texts.
CREATE INDEX job_title_search ON employability.job USING gin (titulo_folded public.gin_trgm_ops)
    WHERE deleted_at IS NULL;
CREATE INDEX job_neighbourhood_search ON employability.job USING gin (bairro_folded public.gin_trgm_ops)
    WHERE deleted_at IS NULL;
CREATE INDEX job_training ON employability.job
    USING gin (employability.folded_all(areas_formacao_elegibilidade))
    WHERE deleted_at IS NULL AND publicado_em IS NOT NULL AND areas_formacao_elegibilidade <> '{}';
-- Before a company or a reference value is deleted, its foreign key looks for jobs that refer to it.
CREATE INDEX job_company ON employability.job (id_contratante);
CREATE INDEX job_contract_type ON employability.job (id_regime_contratacao);
CREATE INDEX job_work_model ON employability.job (id_modelo_trabalho);
CREATE INDEX job_schooling ON employability.job (id_escolaridade_minima);

-- A job's kinds of disability and zones. The kind of the reference value distinguishes them.
CREATE TABLE employability.job_reference_value (
    job_id   uuid NOT NULL REFERENCES employability.job,
    value_id uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (job_id, value_id)
);
CREATE INDEX job_reference_value_value ON employability.job_reference_value (value_id);

-- The languages that a job requires.
CREATE TABLE employability.job_language (
    job_id          uuid NOT NULL REFERENCES employability.job,
    id_idioma       uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_nivel_minimo uuid NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (job_id, id_idioma)
);
CREATE INDEX job_language_language ON employability.job_language (id_idioma);
CREATE INDEX job_language_level ON employability.job_language (id_nivel_minimo);

-- The steps of the selection, such as an interview.
CREATE TABLE employability.job_step (
    id         uuid        PRIMARY KEY,
    id_vaga    uuid        NOT NULL REFERENCES employability.job,
    titulo     text        NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    descricao  text        NOT NULL CHECK (char_length(descricao) <= 5000),
    ordem      smallint    NOT NULL CHECK (ordem BETWEEN 1 AND 30),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- An application refers to a step of its own job. The index also finds the steps of a job.
    UNIQUE (id_vaga, id)
);

-- The questions that candidates answer.
CREATE TABLE employability.job_question (
    id           uuid        PRIMARY KEY,
    id_vaga      uuid        NOT NULL REFERENCES employability.job,
    titulo       text        NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    obrigatorio  boolean     NOT NULL,
    tipo_campo   text        NOT NULL CHECK (tipo_campo IN
        ('resposta_curta', 'resposta_numerica', 'selecao_unica', 'selecao_multipla')),
    valor_minimo bigint,
    valor_maximo bigint,
    opcoes       text[]      NOT NULL CHECK (cardinality(opcoes) <= 50),
    ordem        smallint    NOT NULL CHECK (ordem BETWEEN 1 AND 30),
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at   timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK (valor_minimo <= valor_maximo)
);
CREATE INDEX job_question_job ON employability.job_question (id_vaga);

-- The history of a job. Rows never change. `de` and `para` are the statuses shown at that time.
CREATE TABLE employability.job_event (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id_vaga uuid        NOT NULL REFERENCES employability.job,
    de      text,
    evento  text        NOT NULL,
    para    text        NOT NULL,
    em      timestamptz NOT NULL DEFAULT clock_timestamp(),
    por     text        NOT NULL,
    motivo  text        CHECK (char_length(motivo) BETWEEN 1 AND 500)
);
CREATE INDEX job_event_job ON employability.job_event (id_vaga, id);

GRANT SELECT, INSERT, UPDATE ON employability.job TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE
    ON employability.job_reference_value, employability.job_language, employability.job_step, employability.job_question
    TO balcao_app;
GRANT SELECT, INSERT ON employability.job_event TO balcao_app;

-- The jobs of an older interface (rules: employability 2.10, 3.5). A removed job keeps its row, so that its id is never
-- used again.
CREATE TABLE employability.legacy_job (
    id                      bigint           GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    titulo                  text             NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 500),
    descricao               text             CHECK (char_length(descricao) <= 10000),
    beneficios              text             CHECK (char_length(beneficios) <= 10000),
    pre_requisitos          text             CHECK (char_length(pre_requisitos) <= 10000),
    contato_duvidas         text             CHECK (char_length(contato_duvidas) <= 10000),
    orgao_id                text             CHECK (char_length(orgao_id) BETWEEN 1 AND 50),
    empresa_id              bigint           REFERENCES employability.company (numero) ON DELETE RESTRICT,
    escolaridade_id         integer,
    tipo_contratacao        text             NOT NULL CHECK (tipo_contratacao IN
        ('CLT', 'ESTAGIO', 'JOVEM_APRENDIZ', 'MEI', 'PJ')),
    status                  text             NOT NULL CHECK (status IN ('CRIADO', 'ABERTO', 'EM_ANALISE', 'ENCERRADO')),
    jornada_trabalho        text             CHECK (jornada_trabalho IN
        ('INTEGRAL', 'MEIO_PERIODO', 'FLEXIVEL', 'ESTAGIO', 'HOME_OFFICE')),
    turno                   text             CHECK (turno IN ('MANHA', 'TARDE', 'NOITE', 'INTEGRAL', 'LIVRE')),
    numero_vagas            integer          CHECK (numero_vagas BETWEEN 1 AND 10000),
    salario_min             bigint           CHECK (salario_min >= 0),
    salario_max             bigint           CHECK (salario_max >= 0),
    latitude                double precision CHECK (latitude BETWEEN -90 AND 90),
    longitude               double precision CHECK (longitude BETWEEN -180 AND 180),
    data_inicio_prevista    timestamptz,
    data_limite_candidatura timestamptz,
    row_version             bigint           NOT NULL DEFAULT 1,
    created_at              timestamptz      NOT NULL DEFAULT clock_timestamp(),
    updated_at              timestamptz      NOT NULL DEFAULT clock_timestamp(),
    deleted_at              timestamptz,
    CHECK (salario_min <= salario_max)
);
COMMENT ON COLUMN employability.legacy_job.escolaridade_id IS 'the `posicao` of a schooling level';
COMMENT ON COLUMN employability.legacy_job.salario_min IS 'whole reais';
CREATE INDEX legacy_job_newest ON employability.legacy_job (created_at DESC, id) WHERE deleted_at IS NULL;
CREATE INDEX legacy_job_company ON employability.legacy_job (empresa_id);
GRANT SELECT, INSERT, UPDATE ON employability.legacy_job TO balcao_app;

-- Resumes (rules: employability 2.8, 3.6, 5.2).

-- The root of a person's resume. Every save locks it, so that saves of the same resume run one after the other. It is
-- deleted with all rows that refer to it.
CREATE TABLE employability.resume (
    cpf                 text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    resumo_profissional text        NOT NULL DEFAULT '' CHECK (char_length(resumo_profissional) <= 2000),
    row_version         bigint      NOT NULL DEFAULT 1,
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at          timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN employability.resume.row_version IS
    'every save and every application increments it: an application is stored only with the resume that was read';

CREATE TABLE employability.experience (
    id                        uuid        PRIMARY KEY,
    cpf                       text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    cargo                     text        NOT NULL CHECK (char_length(cargo) BETWEEN 1 AND 120),
    empresa                   text        NOT NULL CHECK (char_length(empresa) BETWEEN 1 AND 120),
    descricao_atividades      text        NOT NULL DEFAULT '' CHECK (char_length(descricao_atividades) <= 2000),
    eh_trabalho_atual         boolean     NOT NULL DEFAULT false,
    experiencia_comprovada_ct boolean     NOT NULL DEFAULT false,
    tempo_experiencia_meses   integer     NOT NULL DEFAULT 0 CHECK (tempo_experiencia_meses BETWEEN 0 AND 600),
    created_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX experience_cpf ON employability.experience (cpf);

CREATE TABLE employability.education (
    id               uuid        PRIMARY KEY,
    cpf              text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_escolaridade  uuid        REFERENCES employability.reference_value ON DELETE RESTRICT,
    nome_instituicao text        CHECK (char_length(nome_instituicao) BETWEEN 1 AND 120),
    nome_curso       text        CHECK (char_length(nome_curso) BETWEEN 1 AND 120),
    status           text        CHECK (status IN ('Completo', 'Em andamento', 'Incompleto')),
    ano_conclusao    text        CHECK (ano_conclusao ~ '^[0-9]{4}$'),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX education_cpf ON employability.education (cpf);
CREATE INDEX education_schooling ON employability.education (id_escolaridade);

CREATE TABLE employability.course (
    id               uuid        PRIMARY KEY,
    cpf              text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    nome_curso       text        NOT NULL CHECK (char_length(nome_curso) BETWEEN 1 AND 120),
    nome_instituicao text        CHECK (char_length(nome_instituicao) BETWEEN 1 AND 120),
    ano_conclusao    text        CHECK (ano_conclusao ~ '^[0-9]{4}$'),
    created_at       timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at       timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX course_cpf ON employability.course (cpf);

CREATE TABLE employability.achievement (
    id                uuid        PRIMARY KEY,
    cpf               text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_tipo_conquista uuid        REFERENCES employability.reference_value ON DELETE RESTRICT,
    titulo            text        NOT NULL CHECK (char_length(titulo) BETWEEN 1 AND 120),
    descricao         text        CHECK (char_length(descricao) <= 2000),
    created_at        timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at        timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX achievement_cpf ON employability.achievement (cpf);
CREATE INDEX achievement_type ON employability.achievement (id_tipo_conquista);

CREATE TABLE employability.resume_language (
    id         uuid        PRIMARY KEY,
    cpf        text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_idioma  uuid        NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_nivel   uuid        NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT resume_language_once UNIQUE (cpf, id_idioma)
);
CREATE INDEX resume_language_language ON employability.resume_language (id_idioma);
CREATE INDEX resume_language_level ON employability.resume_language (id_nivel);

-- A person's skills and behaviours. The ids of links start at 100001, so that a caller who sends the id of an entry
-- instead of the id of a link finds nothing.
CREATE TABLE employability.skill_link (
    id                         bigint      GENERATED ALWAYS AS IDENTITY (START WITH 100001) PRIMARY KEY,
    cpf                        text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_area_atuacao_habilidade bigint      NOT NULL REFERENCES employability.skill_area ON DELETE RESTRICT,
    created_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                 timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT skill_link_once UNIQUE (cpf, id_area_atuacao_habilidade)
);
CREATE INDEX skill_link_entry ON employability.skill_link (id_area_atuacao_habilidade);

CREATE TABLE employability.behaviour_link (
    id                        bigint      GENERATED ALWAYS AS IDENTITY (START WITH 100001) PRIMARY KEY,
    cpf                       text        NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_comportamento_atitudes bigint      NOT NULL REFERENCES employability.behaviour ON DELETE RESTRICT,
    created_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT behaviour_link_once UNIQUE (cpf, id_comportamento_atitudes)
);
CREATE INDEX behaviour_link_entry ON employability.behaviour_link (id_comportamento_atitudes);

-- What the person is looking for.
CREATE TABLE employability.job_search (
    cpf                      text        PRIMARY KEY REFERENCES employability.resume ON DELETE CASCADE,
    id_situacao              uuid        REFERENCES employability.reference_value ON DELETE RESTRICT,
    id_disponibilidade       uuid        REFERENCES employability.reference_value ON DELETE RESTRICT,
    tempo_procurando_emprego text        CHECK (tempo_procurando_emprego IN
        ('UP_TO_6', 'FROM_7_TO_12', 'FROM_13_TO_24', 'OVER_24')),
    created_at               timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at               timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN employability.job_search.tempo_procurando_emprego IS 'months';
CREATE INDEX job_search_situation ON employability.job_search (id_situacao);
CREATE INDEX job_search_availability ON employability.job_search (id_disponibilidade);

-- The contract types that the person prefers, in the order of `place`.
CREATE TABLE employability.preferred_contract (
    cpf       text    NOT NULL REFERENCES employability.job_search ON DELETE CASCADE,
    place     integer NOT NULL,
    id_regime uuid    NOT NULL REFERENCES employability.reference_value ON DELETE RESTRICT,
    PRIMARY KEY (cpf, id_regime)
);
CREATE INDEX preferred_contract_type ON employability.preferred_contract (id_regime);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON employability.resume, employability.experience, employability.education, employability.course,
       employability.achievement, employability.resume_language, employability.skill_link, employability.behaviour_link,
       employability.job_search, employability.preferred_contract
    TO balcao_app;

-- Terms of use, introduction and resume bank (rules: employability 2.9, 2.11).

-- A person's latest acceptance of the terms. Accepting a newer version replaces it, and revoking deletes it.
CREATE TABLE employability.terms_acceptance (
    cpf        text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    id         uuid        NOT NULL DEFAULT gen_random_uuid() UNIQUE,
    version    text        NOT NULL,
    aceito_em  timestamptz NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
COMMENT ON COLUMN employability.terms_acceptance.id IS 'identifies the person in the resume bank without their CPF';
CREATE INDEX terms_acceptance_newest ON employability.terms_acceptance (version, aceito_em DESC, cpf);

-- Who completed the introduction to the job listings.
CREATE TABLE employability.onboarding (
    cpf          text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    completed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Copies of the registry's names of the people who accepted the terms. Staff search the resume bank by them. The bank
-- contains the people who accepted the current terms and have a resume.
CREATE TABLE employability.bank_person (
    cpf         text        PRIMARY KEY REFERENCES employability.terms_acceptance ON DELETE CASCADE,
    nome        text,
    nome_social text,
    search_text text        NOT NULL
        GENERATED ALWAYS AS (employability.folded(coalesce(nome, '') || chr(31) || coalesce(nome_social, ''))) STORED,
    read_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX bank_person_search ON employability.bank_person USING gin (search_text public.gin_trgm_ops);

GRANT SELECT, INSERT, UPDATE, DELETE
    ON employability.terms_acceptance, employability.onboarding, employability.bank_person TO balcao_app;

-- Applications for jobs (rules: employability 2.7, 3.4, 4.3, 4.4).

-- Lists and counts read many of these rows, so the long values are in `application_content`.
CREATE TABLE employability.application (
    id                      uuid        PRIMARY KEY,
    cpf                     text        CHECK (cpf ~ '^\d{11}$'),
    nome                    text        CHECK (char_length(nome) BETWEEN 1 AND 255),
    email                   text        CHECK (char_length(email) BETWEEN 1 AND 254),
    search_text             text        GENERATED ALWAYS AS (
        employability.folded(coalesce(nome, '') || ' ' || coalesce(email, ''))) STORED,
    id_vaga                 uuid        NOT NULL REFERENCES employability.job,
    -- The application's own status. `shown_application_status` returns the status that callers see.
    status                  text        NOT NULL CHECK (status IN
        ('candidatura_enviada', 'aprovada', 'reprovada', 'vaga_congelada', 'vaga_descontinuada', 'retirada')),
    id_etapa_atual          uuid,
    origem                  text        NOT NULL CHECK (origem IN ('cidadao', 'equipe')),
    criterios_nao_atendidos text[]      NOT NULL DEFAULT '{}',
    row_version             bigint      NOT NULL DEFAULT 1,
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    cleared_at              timestamptz,
    FOREIGN KEY (id_vaga, id_etapa_atual) REFERENCES employability.job_step (id_vaga, id)
);
COMMENT ON COLUMN employability.application.cpf IS 'null after retention, which keeps the row for the statistics';
COMMENT ON COLUMN employability.application.criterios_nao_atendidos IS
    'only if staff applied for the person: no criterion rejects such an application';
COMMENT ON COLUMN employability.application.cleared_at IS 'when erasure or retention removed the personal data';
-- A person has at most one application for a job that is not withdrawn, even if two requests arrive at the same time.
CREATE UNIQUE INDEX application_live ON employability.application (cpf, id_vaga) WHERE status <> 'retirada';
CREATE INDEX application_person ON employability.application (cpf, created_at DESC, id);
-- No list contains withdrawn applications. `id_vaga` gives the job's state, on which the shown status depends.
CREATE INDEX application_newest ON employability.application (created_at DESC, id) INCLUDE (id_vaga, status)
    WHERE status <> 'retirada';
CREATE INDEX application_by_status ON employability.application (status, created_at DESC, id) INCLUDE (id_vaga)
    WHERE status <> 'retirada';
CREATE INDEX application_job ON employability.application (id_vaga, created_at DESC, id) WHERE status <> 'retirada';
CREATE INDEX application_status ON employability.application (id_vaga, status, created_at DESC, id)
    WHERE status <> 'retirada';
CREATE INDEX application_step ON employability.application (id_etapa_atual, created_at DESC, id)
    WHERE id_etapa_atual IS NOT NULL;
CREATE INDEX application_search ON employability.application USING gin (search_text public.gin_trgm_ops)
    WHERE status <> 'retirada';

CREATE TABLE employability.application_content (
    id_candidatura     uuid  PRIMARY KEY REFERENCES employability.application ON DELETE CASCADE,
    respostas          jsonb NOT NULL,
    curriculo_snapshot jsonb
);
COMMENT ON COLUMN employability.application_content.respostas IS
    '[{id_info, titulo, resposta}] in the order of the questions at that time; a question may have been removed since';
COMMENT ON COLUMN employability.application_content.curriculo_snapshot IS
    'the resume at the time of the application; null after the personal data were removed';

-- The history of an application. `de` and `para` are its own statuses. Erasure and retention remove `motivo`,
-- because it is free text. Nothing else in a row changes.
CREATE TABLE employability.application_event (
    id             bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id_candidatura uuid        NOT NULL REFERENCES employability.application ON DELETE CASCADE,
    evento         text        NOT NULL,
    de             text,
    para           text        NOT NULL,
    -- The candidate's step before and after. The step may have been removed since.
    id_etapa_de    uuid,
    id_etapa_para  uuid,
    em             timestamptz NOT NULL DEFAULT clock_timestamp(),
    por            text,
    motivo         text        CHECK (char_length(motivo) BETWEEN 1 AND 500)
);
COMMENT ON COLUMN employability.application_event.por IS
    'the name of the employee; null for the candidate and the platform';
CREATE INDEX application_event_application ON employability.application_event (id_candidatura, id);

-- Attempts to apply that a criterion rejected: at most one for each person, job and local day.
CREATE TABLE employability.application_block (
    id                      uuid        PRIMARY KEY,
    cpf                     text        NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_vaga                 uuid        NOT NULL REFERENCES employability.job,
    dia                     date        NOT NULL,
    criterios_nao_atendidos text[]      NOT NULL CHECK (cardinality(criterios_nao_atendidos) BETWEEN 1 AND 20),
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (cpf, id_vaga, dia)
);
CREATE INDEX application_block_newest ON employability.application_block (created_at DESC, id);
CREATE INDEX application_block_job ON employability.application_block (id_vaga, created_at DESC, id);
-- Counts of all blocks read this small index, in which the rows of a day share an entry.
CREATE INDEX application_block_day ON employability.application_block (dia);

-- Copies of the registry's records of people who apply.
CREATE TABLE employability.candidate (
    cpf     text        PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    record  jsonb       NOT NULL,
    read_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX candidate_read ON employability.candidate (read_at);

GRANT SELECT, INSERT, UPDATE ON employability.application, employability.application_content TO balcao_app;
GRANT SELECT, INSERT, UPDATE (motivo) ON employability.application_event TO balcao_app;
GRANT SELECT, INSERT, DELETE ON employability.application_block TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON employability.candidate TO balcao_app;

-- Tallies. The lists of applications and the resume bank show totals over very many rows. Triggers update the tallies
-- in the transaction of each change, so that a list adds up a few rows instead of counting all
-- (rules: employability 2.7, 2.11).

-- The number of applications for a job in each own status, without the withdrawn ones. `fillfactor` leaves free space
-- in each page, so that frequent updates stay in the same page.
CREATE TABLE employability.application_tally (
    id_vaga             uuid    PRIMARY KEY REFERENCES employability.job,
    department          text,
    overlay             text,
    candidatura_enviada integer NOT NULL DEFAULT 0,
    aprovada            integer NOT NULL DEFAULT 0,
    reprovada           integer NOT NULL DEFAULT 0,
    vaga_congelada      integer NOT NULL DEFAULT 0,
    vaga_descontinuada  integer NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
COMMENT ON COLUMN employability.application_tally.department IS 'the `id_orgao_parceiro` of the job';
COMMENT ON COLUMN employability.application_tally.overlay IS
    'the status that responses show for all applications of the job instead of their own; null if they show their own';

-- The number of people who have a resume and accepted a version of the terms. Each version has a row for every two last
-- digits of the CPF, so that people who accept at the same time rarely wait for each other.
CREATE TABLE employability.bank_tally (
    version text,
    shard   text,
    number  integer NOT NULL,
    PRIMARY KEY (version, shard)
) WITH (fillfactor = 50);

GRANT SELECT, INSERT, UPDATE ON employability.application_tally, employability.bank_tally TO balcao_app;
