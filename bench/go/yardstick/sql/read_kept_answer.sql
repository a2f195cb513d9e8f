SELECT request, answer FROM platform.idempotent_answer
WHERE caller = $1 AND key = $2 AND made_at > now() - interval '24 hours'
