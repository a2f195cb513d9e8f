-- More of what citizens say (search document, 3.4), as 0016 enters it. Two terms go: their first word is a stop word, so that
-- "sem custo" stood for "custo" and "sem-teto" for "teto". A group that staff have changed is left as it is.
UPDATE search.synonyms SET terms = array_remove(array_remove(terms, 'sem custo'), 'sem-teto')
WHERE updated_by = 'Balcão' AND terms && ARRAY['sem custo', 'sem-teto'];

UPDATE search.synonyms SET terms = terms || added.term
FROM (VALUES ('farmácia', 'medicação'), ('poste apagado', 'rua escura'), ('lei do silêncio', 'barulhento')) AS added (beside, term)
WHERE updated_by = 'Balcão' AND added.beside = ANY(terms) AND NOT added.term = ANY(terms);

INSERT INTO search.synonyms (id, terms, created_at, updated_at, updated_by)
SELECT gen_random_uuid(), string_to_array(given.terms, ', '), now(), now(), 'Balcão'
FROM unnest(ARRAY[
    'farmácia popular, farmácia básica, retirada de medicamentos, medicamentos de uso contínuo',
    'marcar médico, agendar médico, marcar consulta, agendar consulta, agendamento de consulta, consulta médica',
    'abrir empresa, abrir firma, abrir negócio, abrir loja, abertura de empresa, alvará de funcionamento',
    -- Verbs and their nouns, where neither folding nor stemmer brings them together.
    'abrir, abertura',
    'adotar, adoção',
    'cair, caiu, caída, queda',
    'construir, construção',
    'corrigir, correção',
    'demolir, demolição',
    'devolver, devolução',
    'emitir, emissão',
    'excluir, exclusão, apagar',
    'inscrever, inscrição',
    'isentar, isenção',
    'renovar, renovação, prorrogar',
    'transferir, transferência',
    'varrer, varrição',
    'hora, horário']) AS given (terms)
WHERE NOT EXISTS (
    SELECT FROM search.synonyms AS present, unnest(present.terms) AS term
    WHERE present.updated_by <> 'Balcão'
      AND search.fold_label(term) IN (SELECT search.fold_label(each) FROM string_to_table(given.terms, ', ') AS each)
);
