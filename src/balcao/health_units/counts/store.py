"""SQL of the counts."""

from datetime import date
from zoneinfo import ZoneInfo

from balcao.core.database.pool import Connection, Row
from balcao.health_units.counts.schemas import CountsQuery, Grupo, Periodo

_UNITS = {Periodo.MES: "month", Periodo.TRIMESTRE: "quarter"}

# A month begins and ends by the city's clock. What was closed as a mistake never was.
_COUNT = """
SELECT date_trunc($1, aberta_em AT TIME ZONE $2)::date AS inicio,
       CASE WHEN $5 <> 'cidade' THEN unit.area END AS area,
       CASE WHEN $5 = 'unidade' THEN unit.cnes END AS cnes,
       CASE WHEN $5 = 'unidade' THEN unit.nome END AS nome,
       count(*) AS abertas,
       count(*) FILTER (WHERE risco_maximo = 'Verde') AS verde,
       count(*) FILTER (WHERE risco_maximo = 'Amarelo') AS amarelo,
       count(*) FILTER (WHERE risco_maximo = 'Laranja') AS laranja,
       count(*) FILTER (WHERE risco_maximo = 'Vermelho') AS vermelho
FROM health_units.notifications JOIN health_units.units AS unit USING (cnes)
WHERE aberta_em >= $3::date::timestamp AT TIME ZONE $2
  AND aberta_em < ($4::date + 1)::timestamp AT TIME ZONE $2
  AND causa IS DISTINCT FROM 'engano'
  AND ($6::text IS NULL OR unit.area = $6)
  AND ($7::text IS NULL OR unit.cnes = $7)
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2 NULLS LAST, 3
"""


async def count(connection: Connection, query: CountsQuery, first: date, last: date, zone: ZoneInfo) -> list[Row]:
    """Return a row for each period and group in which something was opened from the first day to the last."""
    return list(
        await connection.fetch(
            _COUNT, _UNITS[query.periodo], zone.key, first, last, Grupo(query.por), query.area, query.cnes
        )
    )
