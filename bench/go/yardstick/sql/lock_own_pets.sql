SELECT pg_advisory_xact_lock(hashtextextended('registry.own_pet ' || $1, 0))
