-- The resume bank (rules: employability 2.11): who accepts the terms and has a resume, by the instant of acceptance.
CREATE EXTENSION IF NOT EXISTS pg_trgm WITH SCHEMA public;

ALTER TABLE employability.terms_acceptance ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;
CREATE INDEX terms_acceptance_newest ON employability.terms_acceptance (version, aceito_em DESC, cpf);

-- What the registry last said of their names, by which staff search; it goes with the acceptance.
CREATE TABLE employability.bank_person (
    cpf         text PRIMARY KEY REFERENCES employability.terms_acceptance ON DELETE CASCADE,
    nome        text,
    nome_social text,
    search_text text NOT NULL
        GENERATED ALWAYS AS (employability.folded(coalesce(nome, '') || chr(31) || coalesce(nome_social, ''))) STORED,
    read_at     timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX bank_person_search ON employability.bank_person USING gin (search_text public.gin_trgm_ops);

GRANT SELECT, INSERT, UPDATE, DELETE ON employability.bank_person TO balcao_app;
