SELECT id_animal, 'curated' AS source, record::text FROM registry.loaded_pet WHERE cpf = $1
UNION ALL
SELECT id_animal, 'self_registered', record::text FROM registry.own_pet WHERE cpf = $1
ORDER BY id_animal LIMIT $2 OFFSET $3
