SELECT (SELECT count(*) FROM registry.loaded_pet WHERE cpf = $1)
     + (SELECT count(*) FROM registry.own_pet WHERE cpf = $1)
