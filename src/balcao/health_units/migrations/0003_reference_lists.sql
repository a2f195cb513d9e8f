-- What kind of occurrence a notification is about and what follows for the unit: lists that the department keeps, and
-- what each event names of them (rules: health_units 2.4). Values are switched off, not deleted: the log names them.
CREATE TABLE health_units.reference_values (
    lista  text NOT NULL CHECK (lista IN ('ocorrencias', 'consequencias')),
    codigo text NOT NULL CHECK (codigo ~ '^[a-z0-9_]{1,40}$'),
    nome   text NOT NULL CHECK (char_length(nome) BETWEEN 1 AND 100),
    ativo  boolean NOT NULL DEFAULT true,
    PRIMARY KEY (lista, codigo)
);
INSERT INTO health_units.reference_values (lista, codigo, nome) VALUES
    ('ocorrencias', 'confronto_armado', 'Confronto armado'),
    ('ocorrencias', 'operacao_policial', 'Operação policial'),
    ('ocorrencias', 'ameaca_a_equipe', 'Ameaça à equipe'),
    ('ocorrencias', 'via_interditada', 'Via interditada'),
    ('ocorrencias', 'manifestacao', 'Manifestação'),
    ('ocorrencias', 'alagamento', 'Alagamento'),
    ('ocorrencias', 'falta_de_energia', 'Falta de energia'),
    ('ocorrencias', 'falta_de_agua', 'Falta de água'),
    ('ocorrencias', 'outra', 'Outra'),
    ('consequencias', 'visitas_suspensas', 'Visitas domiciliares suspensas'),
    ('consequencias', 'acesso_limitado', 'Acesso limitado à unidade'),
    ('consequencias', 'vacinacao_suspensa', 'Vacinação suspensa'),
    ('consequencias', 'consultas_remarcadas', 'Consultas remarcadas'),
    ('consequencias', 'equipe_retirada', 'Equipe retirada da unidade'),
    ('consequencias', 'unidade_fechada', 'Unidade fechada'),
    ('consequencias', 'outra', 'Outra');

ALTER TABLE health_units.notification_events
    ADD COLUMN ocorrencia text,
    ADD COLUMN consequencias text[] NOT NULL DEFAULT '{}';

-- Counts of a period read what was opened in it.
CREATE INDEX notifications_opened ON health_units.notifications (aberta_em);

GRANT SELECT, INSERT, UPDATE ON health_units.reference_values TO balcao_app;
