SELECT coalesce(jsonb_agg(pet ORDER BY id_animal), '[]')::text AS pets,
       (SELECT count(*) FROM registry.loaded_pet WHERE cpf = $1)
       + (SELECT count(*) FROM registry.own_pet WHERE cpf = $1) AS total
FROM (
    SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', 'curated') AS pet
    FROM registry.loaded_pet WHERE cpf = $1
    UNION ALL
    SELECT id_animal, record || jsonb_build_object('id_animal', id_animal, 'source', 'self_registered')
    FROM registry.own_pet WHERE cpf = $1
    ORDER BY id_animal LIMIT $2 OFFSET $3
) AS page
