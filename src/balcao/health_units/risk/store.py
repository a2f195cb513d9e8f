"""SQL of the units as they stand."""

from datetime import date

from balcao.core.database.pool import Connection, Row
from balcao.core.values.cnes import Cnes

# The active notification, where there is one, is always the newest. Of exceptions and holidays those from yesterday on
# matter: somewhere it may still be that day.
_STATE = """
SELECT unit.*, newest.*, hours.semana, hours.abre_feriado, (
    SELECT coalesce(jsonb_object_agg(data, intervalos), '{}')
    FROM health_units.unit_exceptions
    WHERE cnes = unit.cnes AND data >= current_date - 1
) AS excecoes
FROM health_units.units AS unit
LEFT JOIN health_units.unit_weekly_hours AS hours ON hours.cnes = unit.cnes
LEFT JOIN LATERAL (
    SELECT risco, status, aberta_em, ultima_atualizacao
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


_CLOSING_HOLIDAYS = "SELECT data FROM health_units.holidays WHERE fecha AND data >= current_date - 1"


async def list_closing_holidays(connection: Connection) -> list[date]:
    return [row["data"] for row in await connection.fetch(_CLOSING_HOLIDAYS)]


async def read_last_change(connection: Connection) -> Row:
    """Return the number and the instant of the last public change."""
    row = await connection.fetchrow("SELECT last, em FROM health_units.feed_counter")
    assert row is not None
    return row
