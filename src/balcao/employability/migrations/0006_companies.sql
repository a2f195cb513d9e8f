-- Companies that advertise jobs (rules: employability 2.4, 3.2).
CREATE TABLE employability.company (
    cnpj          text PRIMARY KEY CHECK (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
    -- What older jobs name as `empresa_id`.
    numero        bigint NOT NULL GENERATED ALWAYS AS IDENTITY UNIQUE,
    razao_social  text NOT NULL CHECK (char_length(razao_social) BETWEEN 1 AND 500),
    nome_fantasia text CHECK (char_length(nome_fantasia) BETWEEN 1 AND 500),
    descricao     text CHECK (char_length(descricao) <= 5000),
    url_logo      text CHECK (char_length(url_logo) <= 1000),
    website       text CHECK (char_length(website) <= 1000),
    setor         text CHECK (char_length(setor) BETWEEN 1 AND 500),
    porte         text CHECK (char_length(porte) BETWEEN 1 AND 100),
    -- The name by which lists are sorted, and both names for the search, apart by a character that no name has.
    sort_name     text NOT NULL GENERATED ALWAYS AS (employability.folded(coalesce(nome_fantasia, razao_social))) STORED,
    search_text   text NOT NULL
        GENERATED ALWAYS AS (employability.folded(razao_social || chr(31) || coalesce(nome_fantasia, ''))) STORED,
    created_at    timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at    timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX company_order ON employability.company (sort_name, cnpj);

GRANT SELECT, INSERT, UPDATE, DELETE ON employability.company TO balcao_app;
