-- Applications for jobs, what happened to them, and refused attempts (rules: employability 3.4, 4.3, 4.4).

CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

-- The one definition of an application's shown status in SQL; its twin is `show_status` in
-- selection/applications/states.py, and a test compares them. A withdrawn application is in no list.
CREATE FUNCTION employability.shown_application_status(own text, job_status text, job_deleted_at timestamptz)
RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE
    WHEN own = 'retirada' THEN own
    WHEN job_deleted_at IS NOT NULL THEN 'vaga_descontinuada'
    WHEN job_status IN ('vaga_congelada', 'vaga_descontinuada') THEN job_status
    ELSE own
END;

-- Narrow, as lists and counts read many of them; what is long stands in `application_content`.
CREATE TABLE employability.application (
    id                      uuid PRIMARY KEY,
    -- Null once retention has made the row a number of the statistics.
    cpf                     text CHECK (cpf ~ '^\d{11}$'),
    nome                    text CHECK (char_length(nome) BETWEEN 1 AND 255),
    email                   text CHECK (char_length(email) BETWEEN 1 AND 254),
    id_vaga                 uuid NOT NULL REFERENCES employability.job,
    -- Its own status: the job's state may be shown in its place.
    status                  text NOT NULL CHECK (status IN
        ('candidatura_enviada', 'aprovada', 'reprovada', 'vaga_congelada', 'vaga_descontinuada', 'retirada')),
    id_etapa_atual          uuid,
    origem                  text NOT NULL CHECK (origem IN ('cidadao', 'equipe')),
    -- Of an application made by staff, which no criterion refuses.
    criterios_nao_atendidos text[] NOT NULL DEFAULT '{}',
    search_text             text GENERATED ALWAYS AS (
        employability.folded(coalesce(nome, '') || ' ' || coalesce(email, ''))) STORED,
    row_version             bigint NOT NULL DEFAULT 1,
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    cleared_at              timestamptz,
    FOREIGN KEY (id_vaga, id_etapa_atual) REFERENCES employability.job_step (id_vaga, id)
);
-- One that lives for each person and job: of two at once one is refused.
CREATE UNIQUE INDEX application_live ON employability.application (cpf, id_vaga) WHERE status <> 'retirada';
CREATE INDEX application_person ON employability.application (cpf, created_at DESC, id);
CREATE INDEX application_newest ON employability.application (created_at DESC, id) WHERE status <> 'retirada';
CREATE INDEX application_job ON employability.application (id_vaga, created_at DESC, id) WHERE status <> 'retirada';
CREATE INDEX application_status ON employability.application (id_vaga, status, created_at DESC, id)
    WHERE status <> 'retirada';
CREATE INDEX application_step ON employability.application (id_etapa_atual, created_at DESC, id)
    WHERE id_etapa_atual IS NOT NULL;
CREATE INDEX application_search ON employability.application USING gin (search_text public.gin_trgm_ops)
    WHERE status <> 'retirada';

CREATE TABLE employability.application_content (
    id_candidatura     uuid PRIMARY KEY REFERENCES employability.application ON DELETE CASCADE,
    -- [{id_info, titulo, resposta}] in the order of the questions at that time; a question may be gone since.
    respostas          jsonb NOT NULL,
    -- The resume as it was; null once it was cleared.
    curriculo_snapshot jsonb
);

-- What happened to an application, never changed: `de` and `para` are its own status.
CREATE TABLE employability.application_event (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id_candidatura uuid NOT NULL REFERENCES employability.application ON DELETE CASCADE,
    evento         text NOT NULL,
    de             text,
    para           text NOT NULL,
    -- The step on which the candidate stood before and after; it may be gone since.
    id_etapa_de    uuid,
    id_etapa_para  uuid,
    em             timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The name of the member of staff; null for the candidate and the platform.
    por            text,
    motivo         text CHECK (char_length(motivo) BETWEEN 1 AND 500)
);
CREATE INDEX application_event_application ON employability.application_event (id_candidatura, id);

-- Refused attempts: at most one for each person, job and local day.
CREATE TABLE employability.application_block (
    id                      uuid PRIMARY KEY,
    cpf                     text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_vaga                 uuid NOT NULL REFERENCES employability.job,
    dia                     date NOT NULL,
    criterios_nao_atendidos text[] NOT NULL CHECK (cardinality(criterios_nao_atendidos) BETWEEN 1 AND 20),
    created_at              timestamptz NOT NULL DEFAULT clock_timestamp(),
    UNIQUE (cpf, id_vaga, dia)
);
CREATE INDEX application_block_newest ON employability.application_block (created_at DESC, id);
CREATE INDEX application_block_job ON employability.application_block (id_vaga, created_at DESC, id);

-- What the registry last said of people who apply; a copy, never the only one.
CREATE TABLE employability.candidate (
    cpf     text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    record  jsonb NOT NULL,
    read_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX candidate_read ON employability.candidate (read_at);

-- Moves the candidates of steps that are about to be removed to the remaining step before, or to none. Called by an
-- edit of the job under its lock, before the steps change, with the steps that stay.
CREATE FUNCTION employability.leave_steps(job uuid, remaining uuid[]) RETURNS void LANGUAGE sql AS $$
    WITH leaving AS (
        SELECT application.id, application.status, application.id_etapa_atual AS before, (
            SELECT earlier.id FROM employability.job_step AS earlier
            WHERE earlier.id_vaga = job AND earlier.ordem < step.ordem AND earlier.id = ANY (remaining)
            ORDER BY earlier.ordem DESC LIMIT 1
        ) AS after
        FROM employability.job_step AS step
        JOIN employability.application ON application.id_etapa_atual = step.id
        WHERE step.id_vaga = job AND step.id <> ALL (remaining)
    ), moved AS (
        UPDATE employability.application SET
            id_etapa_atual = leaving.after, row_version = row_version + 1, updated_at = clock_timestamp()
        FROM leaving WHERE application.id = leaving.id
        RETURNING application.id, application.status, leaving.before, leaving.after
    )
    INSERT INTO employability.application_event (id_candidatura, evento, de, para, id_etapa_de, id_etapa_para)
    SELECT id, 'step-removed', status, status, before, after FROM moved
$$;

GRANT SELECT, INSERT, UPDATE ON employability.application, employability.application_content TO balcao_app;
GRANT SELECT, INSERT ON employability.application_event TO balcao_app;
GRANT SELECT, INSERT, DELETE ON employability.application_block TO balcao_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON employability.candidate TO balcao_app;
