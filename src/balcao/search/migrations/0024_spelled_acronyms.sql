-- Pages show synonyms as other names of a service, so the seeded groups write acronyms and names as people read them
-- (rules: search 2.3, 3.4). Groups that staff have changed stay as they are. The search compares without case.
UPDATE search.synonyms AS synonym
SET terms = ARRAY(
    SELECT coalesce(spelled.term, given.term)
    FROM unnest(synonym.terms) WITH ORDINALITY AS given (term, place)
    LEFT JOIN unnest(ARRAY[
        'AEE', 'BPC', 'CAPS', 'CIN', 'CIPTEA', 'CMEI', 'CND', 'CNH', 'CNPJ', 'CNS', 'COSIP', 'CRAS', 'CREAS', 'CTPS',
        'DST', 'EJA', 'EMEI', 'HIV', 'IPTU', 'IRPF', 'ISS', 'ISSQN', 'IST', 'ITBI', 'LAI', 'LGPD', 'LOAS', 'MEI',
        'NFS-e', 'NFSe', 'PCD', 'Procon', 'Refis', 'RG', 'SAMU', 'SUS', 'TEA', 'UBS', 'UPA',
        'cartão do SUS', 'carteirinha do SUS', 'lei Maria da Penha'
    ]) AS spelled (term) ON lower(spelled.term) = given.term
    ORDER BY given.place
)
WHERE synonym.updated_by = 'Balcão';
