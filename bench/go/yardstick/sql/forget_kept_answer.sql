DELETE FROM platform.idempotent_answer WHERE caller = $1 AND key = $2
