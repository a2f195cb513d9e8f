-- A citizen's own choices of notification, and the categories they choose among (registry document, 3.5).
CREATE SCHEMA registry;
GRANT USAGE ON SCHEMA registry TO balcao_app;

CREATE TABLE registry.notification_category (
    id             text PRIMARY KEY CHECK (id ~ '^[a-z][a-z0-9_]{1,49}$'),
    name           text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 100),
    description    text NOT NULL CHECK (char_length(description) BETWEEN 1 AND 500),
    default_opt_in boolean NOT NULL DEFAULT false,
    active         boolean NOT NULL DEFAULT true,
    "order"        int NOT NULL CHECK ("order" BETWEEN 0 AND 9999),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

INSERT INTO registry.notification_category (id, name, description, default_opt_in, "order") VALUES
    ('events', 'Eventos', 'Eventos culturais, esportivos e comunitários da cidade.', true, 1),
    ('services', 'Serviços', 'Novidades e andamento dos serviços que você usa.', true, 2),
    ('alerts', 'Alertas', 'Avisos urgentes de clima, trânsito e segurança.', true, 3),
    ('mei_opportunities', 'Oportunidades MEI', 'Oportunidades de trabalho para microempreendedores.', false, 4),
    ('courses', 'Cursos', 'Cursos e formações gratuitas da prefeitura.', false, 5),
    ('health', 'Saúde', 'Campanhas de vacinação e lembretes de saúde.', true, 6);

CREATE TABLE registry.preferences (
    cpf        text PRIMARY KEY CHECK (cpf ~ '^\d{11}$'),
    opt_in     boolean NOT NULL DEFAULT true,
    updated_at timestamptz NOT NULL DEFAULT now()
);

-- Only choices that were made are stored; a missing row means the category's default.
CREATE TABLE registry.preference_choice (
    cpf         text NOT NULL CHECK (cpf ~ '^\d{11}$'),
    category_id text NOT NULL REFERENCES registry.notification_category,
    opt_in      boolean NOT NULL,
    updated_at  timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cpf, category_id)
);

GRANT SELECT, INSERT, UPDATE ON registry.notification_category, registry.preferences, registry.preference_choice
    TO balcao_app;
