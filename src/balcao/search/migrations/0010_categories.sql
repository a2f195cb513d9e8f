-- The categories that the city orders and shows (search document, 3.4). `tema_geral` of a service is free text: one that is
-- not here is listed, too, without a seed.
CREATE TABLE search.categories (
    fold            text PRIMARY KEY CHECK (fold <> ''),
    name            text NOT NULL CHECK (char_length(name) BETWEEN 1 AND 200),
    popularity_seed int NOT NULL CHECK (popularity_seed >= 0),
    active          boolean NOT NULL DEFAULT true,
    CHECK (fold = search.fold_label(name))
);
GRANT SELECT, INSERT, UPDATE ON search.categories TO balcao_app;

INSERT INTO search.categories (fold, name, popularity_seed)
SELECT search.fold_label(name), name, seed FROM (VALUES
    ('Cidade', 5000), ('Transporte', 4500), ('Saúde', 4000), ('Educação', 3500), ('Tributos', 3000),
    ('Cidadania', 2800), ('Licenças', 2600), ('Meio Ambiente', 2400), ('Trânsito', 2200), ('Servidor', 2000),
    ('Segurança', 1800), ('Defesa Civil', 1600), ('Trabalho', 1400), ('Cultura', 1200), ('Cursos', 1000),
    ('Ordem Pública', 900), ('Obras', 800), ('Animais', 700), ('Ouvidoria', 600), ('Peticionamentos', 500),
    ('Lei de Acesso à Informação (LAI)', 400), ('Lei Geral de Proteção de Dados (LGPD)', 300),
    ('Central Anticorrupção', 200)) AS seeded (name, seed);

CREATE TRIGGER announce_change AFTER INSERT OR UPDATE ON search.categories
    FOR EACH STATEMENT EXECUTE FUNCTION search.announce_change();
