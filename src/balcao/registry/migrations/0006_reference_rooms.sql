-- Departments, who works where, economic activities, companies and pets (registry document, 2.6 and 3.7).

-- The one definition of "the same text" in this service: case, accents and runs of blanks do not count. Collation "C"
-- and the decomposed form make it the same on every server, whatever its locale.
CREATE FUNCTION registry.folded(words text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT btrim(regexp_replace(
        lower(regexp_replace(normalize(words, NFD), '[\u0300-\u036f]+', '', 'g') COLLATE "C"),
        '[\u0009-\u000d\u0020\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g'))
$$;

-- A classification's code without its punctuation: 01.11-3 and 01113 are the same class.
CREATE FUNCTION registry.bare(code text) RETURNS text LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$
    SELECT regexp_replace(code, '[^0-9A-Za-z]', '', 'g')
$$;

CREATE TABLE registry.department (
    cd_ua           text COLLATE "C" PRIMARY KEY CHECK (char_length(cd_ua) BETWEEN 1 AND 50),
    id              text NOT NULL,
    sigla_ua        text NOT NULL,
    nome_ua         text NOT NULL,
    cd_ua_pai       text,
    nivel           smallint NOT NULL CHECK (nivel BETWEEN 0 AND 99),
    ordem_ua_basica text NOT NULL,
    ordem_absoluta  text COLLATE "C" NOT NULL,
    ordem_relativa  text NOT NULL,
    msg             text,
    updated_at      timestamptz CHECK (isfinite(updated_at)),
    folded_nome     text NOT NULL GENERATED ALWAYS AS (registry.folded(nome_ua)) STORED,
    folded_sigla    text NOT NULL GENERATED ALWAYS AS (registry.folded(sigla_ua)) STORED,
    loaded_at       timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX department_order ON registry.department (nivel, ordem_absoluta, cd_ua);

CREATE TABLE registry.staff_department (
    cpf        text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    cd_ua      text COLLATE "C" NOT NULL REFERENCES registry.department,
    id         uuid NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_by text CHECK (created_by ~ '^\d{11}$'),
    PRIMARY KEY (cpf, cd_ua)
);

CREATE TABLE registry.activity (
    id          text COLLATE "C" PRIMARY KEY,
    secao       text NOT NULL,
    divisao     text NOT NULL,
    grupo       text NOT NULL,
    classe      text NOT NULL,
    subclasse   text COLLATE "C" NOT NULL,
    denominacao text NOT NULL,
    folded      text NOT NULL GENERATED ALWAYS AS (registry.folded(denominacao)) STORED,
    loaded_at   timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX activity_order ON registry.activity (subclasse, id);

CREATE TABLE registry.company (
    cnpj      text COLLATE "C" PRIMARY KEY CHECK (cnpj ~ '^[0-9A-Z]{12}[0-9]{2}$'),
    record    jsonb NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now()
);

-- Partners and responsible people, taken from the records when they are loaded.
CREATE TABLE registry.company_member (
    cpf  text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    cnpj text COLLATE "C" NOT NULL REFERENCES registry.company,
    PRIMARY KEY (cpf, cnpj)
);
CREATE INDEX company_member_company ON registry.company_member (cnpj);

-- The city's pets and those that citizens add are apart: the former are read only. The numbers tell them apart, too.
CREATE TABLE registry.loaded_pet (
    cpf       text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_animal bigint NOT NULL CHECK (id_animal BETWEEN 1 AND 999999),
    record    jsonb NOT NULL,
    loaded_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cpf, id_animal)
);

CREATE SEQUENCE registry.own_pet_id MINVALUE 1000000;

CREATE TABLE registry.own_pet (
    cpf        text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    id_animal  bigint NOT NULL DEFAULT nextval('registry.own_pet_id') CHECK (id_animal >= 1000000),
    record     jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (cpf, id_animal)
);

GRANT EXECUTE ON FUNCTION registry.folded, registry.bare TO balcao_app;
GRANT SELECT ON registry.department, registry.activity, registry.company, registry.company_member, registry.loaded_pet
    TO balcao_app;
GRANT SELECT, INSERT, DELETE ON registry.staff_department, registry.own_pet TO balcao_app;
GRANT USAGE ON SEQUENCE registry.own_pet_id TO balcao_app;
