INSERT INTO registry.own_pet (cpf, record) VALUES ($1, $2::jsonb) RETURNING id_animal
