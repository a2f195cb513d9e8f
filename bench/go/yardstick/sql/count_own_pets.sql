SELECT count(*) FROM registry.own_pet WHERE cpf = $1
