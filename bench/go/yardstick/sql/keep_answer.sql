INSERT INTO platform.idempotent_answer (caller, key, cpf, request, answer) VALUES ($1, $2, $3, $4, $5)
