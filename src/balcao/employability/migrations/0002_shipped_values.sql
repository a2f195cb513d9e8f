-- The values that every new database contains (rules: employability 3.1). They are inserted only once, so a value that
-- an administrator renames or deletes does not come back.

-- An id is the UUID version 5 of `<kind>:<descricao>` in the namespace UUID5(NAMESPACE_URL, 'balcao:employability').
INSERT INTO employability.reference_value (id, kind, posicao, descricao) VALUES
    ('4501bc88-fb37-5c16-a84b-e864c62433cf', 'regimes-contratacao', 1, 'CLT'),
    ('01b7dc47-7221-5d8b-832d-19b8e09694d4', 'regimes-contratacao', 2, 'Estágio'),
    ('c93d16f6-7bc6-50f2-8a4a-53f8c6efb77c', 'regimes-contratacao', 3, 'Aprendiz'),
    ('f9482f13-29d3-5f35-8264-a88313fa0e3b', 'regimes-contratacao', 4, 'Freelancer'),
    ('65b527ae-ad00-5fa2-a8f5-76a90d4dae79', 'regimes-contratacao', 5, 'Temporário'),
    ('8e2472b0-049c-51b1-9f58-ceead9e837a8', 'regimes-contratacao', 6, 'PJ'),
    ('bcaa8af8-e38e-51e0-857a-fc301121bf17', 'regimes-contratacao', 7, 'Voluntário'),
    ('e83ca40e-725a-5da0-8e39-6e5b48f94e69', 'regimes-contratacao', 8, 'Meio período'),
    ('371848f1-6464-5e65-85a1-16e57b607d8d', 'modelos-trabalho', 1, 'Remoto'),
    ('5d0df749-5a5c-57b8-82b0-d6bda6a922f2', 'modelos-trabalho', 2, 'Presencial'),
    ('c0e3618c-7539-58ad-8204-97cc38e9983d', 'modelos-trabalho', 3, 'Híbrido'),
    ('41aae6b6-f0bf-5fa3-8b91-8f4ac3022e29', 'tipos-pcd', 1, 'Física'),
    ('07bd5df5-2ab7-518b-86e8-0c7036065a6c', 'tipos-pcd', 2, 'Visual'),
    ('b1b26b5e-96cc-5b87-b1f5-984537ce30b3', 'tipos-pcd', 3, 'Auditiva'),
    ('4a2d8b32-ec7a-5be7-a655-91c2a3fa9780', 'tipos-pcd', 4, 'Intelectual'),
    ('da00b943-aecd-592e-a76a-7a3de152034d', 'tipos-pcd', 5, 'Múltipla'),
    ('efc9d2b0-b11f-5cbc-b4c8-1ee076ae9aac', 'idiomas', 1, 'Português'),
    ('8c28106e-3691-5d63-8ac8-32de36df7ae6', 'idiomas', 2, 'Inglês'),
    ('b21e8a8d-29ee-5982-9239-6bc80d60d9b1', 'idiomas', 3, 'Espanhol'),
    ('43f3a357-ca7e-54f1-a929-92d04ec7bbef', 'idiomas', 4, 'Italiano'),
    ('8907f37a-9a3b-5aae-8927-cf4e7d72dff8', 'idiomas', 5, 'Alemão'),
    ('160da789-6ce9-5492-8cbf-717398dea17e', 'idiomas', 6, 'Francês'),
    ('d808808c-bc7b-51bf-abe8-98eeabe6be6b', 'idiomas', 7, 'Outro'),
    ('f56fc0cb-9787-5f5b-aaff-4aea6999b38e', 'niveis-idioma', 1, 'Básico'),
    ('15e87091-6bbf-5f5d-aada-aea55a3af95f', 'niveis-idioma', 2, 'Intermediário'),
    ('0ce882d4-63ac-56e0-bbb5-601dd39f061c', 'niveis-idioma', 3, 'Avançado'),
    ('e815b617-bb39-56fc-896f-5a5551e4a6a5', 'niveis-idioma', 4, 'Nativo/Fluente'),
    ('2a04970d-9497-5752-a5d2-6c651dfcef95', 'escolaridades', 1, 'Fundamental incompleto'),
    ('5f213a53-f154-56f9-8dd5-8cbf719b7d54', 'escolaridades', 2, 'Fundamental completo'),
    ('a782aa0a-00f8-5f0a-8c36-64cc7006df58', 'escolaridades', 3, 'Médio incompleto'),
    ('e90e1e5b-c059-50ed-9c6c-e64a1a37ce44', 'escolaridades', 4, 'Médio completo'),
    ('8a817b7a-eebf-587c-b7b7-44f77260fdc6', 'escolaridades', 5, 'Técnico'),
    ('694b85a7-f47d-5388-bcca-19c1cb88aa40', 'escolaridades', 6, 'Superior incompleto'),
    ('835faf97-4657-556b-9a57-d89e028ab401', 'escolaridades', 7, 'Superior completo'),
    ('3228f079-0491-5c92-a6e1-e2505d74d143', 'escolaridades', 8, 'Pós-graduação/MBA'),
    ('20ee4fa4-8ad7-5ef8-ae27-c37ce0453e80', 'escolaridades', 9, 'Mestrado'),
    ('589af7b6-797a-5c81-87d5-daa7512da7ca', 'escolaridades', 10, 'Doutorado'),
    ('7a0c9949-5ef5-554c-9fa7-c15d6acf8b4a', 'tipos-conquista', 1, 'Certificado'),
    ('cc47ca25-e8e1-5c05-ac62-2c7f5e2d4913', 'tipos-conquista', 2, 'Curso'),
    ('d99e9504-d475-5bf4-9c4d-a3bef75ca888', 'tipos-conquista', 3, 'Reconhecimento'),
    ('35638306-bb58-5d81-860e-39b636abfe81', 'tipos-conquista', 4, 'Trabalho voluntário'),
    ('529b2128-4936-5185-8419-5873ec03285d', 'situacoes-atual', 1, 'Buscando primeiro emprego'),
    ('c1135fbc-37b6-5c1b-83b9-e49ffb093f95', 'situacoes-atual', 2, 'Empregado(a)'),
    ('69fa79bc-bd24-53a3-b765-25b5e52f1c60', 'situacoes-atual', 3, 'Desempregado(a)'),
    ('c2c4da36-c298-506a-ac6d-fd417bca3cad', 'situacoes-atual', 4, 'Autônomo(a)'),
    ('8f9e461b-005a-5c61-b16e-653730d4308d', 'situacoes-atual', 5, 'Estudante'),
    ('933caf67-ba3f-57bb-8e96-c246cffdc07b', 'situacoes-atual', 6, 'Aposentado(a)'),
    ('a962aed6-4d16-5eaf-ac80-b4623c47e3b9', 'disponibilidades', 1, 'Imediato'),
    ('1f04e0c0-b3a1-57f2-8a89-1695fe643648', 'disponibilidades', 2, 'Em até 15 dias'),
    ('dc2acfa7-0368-5358-9df4-2aba1e6c8759', 'disponibilidades', 3, 'Em até 30 dias'),
    ('9280bee4-2866-578f-a500-7896823709c0', 'disponibilidades', 4, 'Em até 60 dias'),
    ('a7f22355-fd30-5450-a161-9910c787f066', 'disponibilidades', 5, 'Acima de 60 dias'),
    ('a8f1aea9-9bd3-5272-949a-cba22d702653', 'zonas', 1, 'Zona Norte'),
    ('9fb6da0b-71c0-5924-9439-c65697b6b79e', 'zonas', 2, 'Zona Sul'),
    ('3abe9288-8757-546d-a824-6a0ecf1a8143', 'zonas', 3, 'Zona Oeste'),
    ('9e97996a-58ae-5182-8c64-e67ed1b246b8', 'zonas', 4, 'Centro');

INSERT INTO employability.behaviour (nome) VALUES
    ('Proatividade'),
    ('Organização'),
    ('Liderança'),
    ('Resolução de problemas'),
    ('Pensamento analítico'),
    ('Responsabilidade'),
    ('Empatia'),
    ('Inteligência emocional');

-- Ten areas of work with five skills each. The ids follow the order of reading.
CREATE TEMPORARY TABLE seed (place int GENERATED ALWAYS AS IDENTITY, area text, skills text[]) ON COMMIT DROP;
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
