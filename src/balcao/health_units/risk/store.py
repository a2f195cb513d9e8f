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


async def list_states(connection: Connection) -> list[Row]:
    return list(await connection.fetch(_STATE))


_OF_UNIT = _STATE + "WHERE unit.cnes = $1"


async def read_state(connection: Connection, cnes: Cnes) -> Row:
    """Return the row of a unit that exists."""
    (row,) = await connection.fetch(_OF_UNIT, cnes.digits)
    return row
