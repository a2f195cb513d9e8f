-- Synonyms that every city's catalogue can use; staff change and remove them like their own (search document, 4.6).
INSERT INTO search.synonyms (id, terms, created_at, updated_at, updated_by)
SELECT gen_random_uuid(), string_to_array(terms, ', '), now(), now(), 'Balcão'
FROM unnest(ARRAY[
    'cão, cachorro', 'marcar, agendar', 'carro, veículo, automóvel', 'remédio, medicamento', 'médico, doutor',
    'sinal de trânsito, semáforo', 'quebra-molas, lombada, redutor de velocidade', 'deficiente, pessoa com deficiência',
    'idoso, terceira idade', 'esgoto entupido, bueiro entupido', 'barulho, som alto', 'gravidez, gestante, grávida',
    'emprego, trabalho', 'certidão negativa, nada consta', 'holerite, contracheque, contra cheque',
    'cadastro único, CadÚnico', 'cesta básica, alimento', 'enterro, sepultamento', 'aposentado, aposentadoria']) AS terms;
