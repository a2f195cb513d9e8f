"""SQL that counts notifications."""

from datetime import date
from typing import NamedTuple

from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement
from balcao.health_units.counts.schemas import ByColor, CountsQuery


class OpenedCount(NamedTuple):
    """The number of notifications opened in one period and group. `inicio` is the first day of the period."""

    inicio: date
    area: str | None
    cnes: str | None
    nome: str | None
    abertas: int
    por_cor: ByColor


# Periods start and end at midnight in the city's time zone. Notifications closed as a mistake do not count.
@statement("""
SELECT date_trunc(:unit, aberta_em AT TIME ZONE :zone)::date AS inicio,
       CASE WHEN :por <> 'cidade' THEN unit.area END AS area,
       CASE WHEN :por = 'unidade' THEN unit.cnes END AS cnes,
       CASE WHEN :por = 'unidade' THEN unit.nome END AS nome,
       count(*) AS abertas,
       count(*) FILTER (WHERE risco_maximo = 'Verde') AS verde,
       count(*) FILTER (WHERE risco_maximo = 'Amarelo') AS amarelo,
       count(*) FILTER (WHERE risco_maximo = 'Laranja') AS laranja,
       count(*) FILTER (WHERE risco_maximo = 'Vermelho') AS vermelho
FROM health_units.notifications JOIN health_units.units AS unit USING (cnes)
WHERE aberta_em >= :first::date::timestamp AT TIME ZONE :zone
  AND aberta_em < (:last::date + 1)::timestamp AT TIME ZONE :zone
  AND causa IS DISTINCT FROM 'engano'
  AND (:area::text IS NULL OR unit.area = :area)
  AND (:cnes::text IS NULL OR unit.cnes = :cnes)
GROUP BY 1, 2, 3, 4
ORDER BY 1, 2 NULLS LAST, 3
""")
async def count_opened(
    connection: Connection, query: CountsQuery, first: date, last: date, *, unit: str, zone: str
) -> list[OpenedCount]:
    """Count the notifications opened from the first day to the last, by period and group.

    Groups without notifications are omitted.

    `unit` is the name of the period for `date_trunc`.
    """
