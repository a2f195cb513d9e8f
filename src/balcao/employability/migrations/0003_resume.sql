-- The resume: one root for each citizen, whose lock serialises what is saved under it (employability document, 3.6, 5.2).
CREATE TABLE employability.resume (
    cpf                 text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    resumo_profissional text NOT NULL DEFAULT '' CHECK (char_length(resumo_profissional) <= 2000),
    created_at          timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at          timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE employability.experience (
    id                        uuid PRIMARY KEY,
    cpf                       text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    cargo                     text NOT NULL CHECK (char_length(cargo) BETWEEN 1 AND 120),
    empresa                   text NOT NULL CHECK (char_length(empresa) BETWEEN 1 AND 120),
    descricao_atividades      text NOT NULL DEFAULT '' CHECK (char_length(descricao_atividades) <= 2000),
    eh_trabalho_atual         boolean NOT NULL DEFAULT false,
    experiencia_comprovada_ct boolean NOT NULL DEFAULT false,
    tempo_experiencia_meses   integer NOT NULL DEFAULT 0 CHECK (tempo_experiencia_meses BETWEEN 0 AND 600),
    created_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX experience_cpf ON employability.experience (cpf);

-- Links begin far from the entries' ids, so that one taken for the other finds nothing.
CREATE TABLE employability.behaviour_link (
    id                        bigint GENERATED ALWAYS AS IDENTITY (START WITH 100001) PRIMARY KEY,
    cpf                       text NOT NULL REFERENCES employability.resume ON DELETE CASCADE,
    id_comportamento_atitudes bigint NOT NULL REFERENCES employability.behaviour ON DELETE RESTRICT,
    created_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at                timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT behaviour_link_once UNIQUE (cpf, id_comportamento_atitudes)
);
CREATE INDEX behaviour_link_entry ON employability.behaviour_link (id_comportamento_atitudes);

GRANT SELECT, INSERT, UPDATE, DELETE ON
    employability.resume, employability.experience, employability.behaviour_link TO balcao_app;
