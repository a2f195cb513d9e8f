"""SQL of the units' risk."""

from balcao.core.database.pool import Connection, Row
from balcao.core.values.cnes import Cnes

# The active notification, where there is one, is always the newest.
_STATE = """
SELECT unit.cnes, newest.risco, newest.status, newest.ultima_atualizacao
FROM health_units.units AS unit
LEFT JOIN LATERAL (
    SELECT risco, status, ultima_atualizacao
    FROM health_units.notifications
    WHERE cnes = unit.cnes AND causa IS DISTINCT FROM 'engano'
    ORDER BY aberta_em DESC
    LIMIT 1
) AS newest ON true
"""


async def all_units(connection: Connection) -> list[Row]:
    return list(await connection.fetch(_STATE))


_OF_UNIT = _STATE + "WHERE unit.cnes = $1"


async def of_unit(connection: Connection, cnes: Cnes) -> Row:
    """The unit exists."""
    (row,) = await connection.fetch(_OF_UNIT, cnes.digits)
    return row
