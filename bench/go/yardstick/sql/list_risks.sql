SELECT unit.cnes, newest.risco, newest.status, newest.ultima_atualizacao
FROM health_units.units AS unit
LEFT JOIN LATERAL (
    SELECT risco, status, ultima_atualizacao
    FROM health_units.notifications
    WHERE cnes = unit.cnes AND causa IS DISTINCT FROM 'engano'
    ORDER BY aberta_em DESC
    LIMIT 1
) AS newest ON true
