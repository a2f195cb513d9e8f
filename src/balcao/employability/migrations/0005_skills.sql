-- Areas of work and the skills that belong to them (rules: employability 2.3, 3.1).
CREATE TABLE employability.work_area (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT work_area_same UNIQUE (folded)
);

CREATE TABLE employability.skill (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    nome       text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 250),
    folded     text NOT NULL GENERATED ALWAYS AS (employability.folded(nome)) STORED,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT skill_same UNIQUE (folded)
);

-- A skill as part of an area: what a resume refers to. Nothing goes while something refers to it.
CREATE TABLE employability.skill_area (
    id       bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    skill_id bigint NOT NULL REFERENCES employability.skill ON DELETE RESTRICT,
    area_id  bigint NOT NULL REFERENCES employability.work_area ON DELETE RESTRICT,
    CONSTRAINT skill_area_once UNIQUE (skill_id, area_id)
);
CREATE INDEX skill_area_area ON employability.skill_area (area_id);

GRANT SELECT, INSERT, UPDATE, DELETE ON
    employability.work_area, employability.skill, employability.skill_area TO balcao_app;

-- What a release brings, once: what an administrator renamed or removed stays so. Ids follow the order of reading.
CREATE TEMPORARY TABLE seed (place int GENERATED ALWAYS AS IDENTITY, area text, skills text[]);
INSERT INTO seed (area, skills) VALUES
    ('Atendimento', ARRAY['Atendimento ao cliente', 'Telemarketing', 'Recepção', 'Operação de caixa', 'Mediação de conflitos']),
    ('Administração', ARRAY['Planilhas eletrônicas', 'Redação', 'Arquivo e documentação', 'Rotinas de pessoal', 'Contas a pagar e a receber']),
    ('Tecnologia', ARRAY['Programação', 'Banco de dados', 'Suporte técnico', 'Redes', 'Design de interfaces']),
    ('Construção', ARRAY['Alvenaria', 'Acabamento', 'Elétrica predial', 'Hidráulica', 'Desenho técnico']),
    ('Saúde', ARRAY['Cuidados de enfermagem', 'Primeiros socorros', 'Cuidado de idosos', 'Farmácia', 'Análises clínicas']),
    ('Educação', ARRAY['Ensino infantil', 'Reforço escolar', 'Libras', 'Recreação', 'Educação inclusiva']),
    ('Alimentação', ARRAY['Cozinha', 'Confeitaria', 'Panificação', 'Serviço de mesa', 'Boas práticas de manipulação']),
    ('Logística', ARRAY['Direção categoria B', 'Direção categoria D', 'Separação de pedidos', 'Controle de estoque', 'Empilhadeira']),
    ('Comércio', ARRAY['Vendas', 'Vitrinismo', 'Reposição', 'Marketing digital', 'Negociação']),
    ('Serviços gerais', ARRAY['Limpeza', 'Jardinagem', 'Portaria', 'Zeladoria', 'Costura']);
INSERT INTO employability.work_area (nome) SELECT area FROM seed ORDER BY place;
INSERT INTO employability.skill (nome)
SELECT nome FROM seed, unnest(skills) WITH ORDINALITY AS listed (nome, position) ORDER BY place, position;
INSERT INTO employability.skill_area (skill_id, area_id)
SELECT skill.id, work_area.id
FROM seed
CROSS JOIN unnest(skills) WITH ORDINALITY AS listed (nome, position)
JOIN employability.skill ON skill.nome = listed.nome
JOIN employability.work_area ON work_area.nome = seed.area
ORDER BY seed.place, position;
DROP TABLE seed;
