"""SQL of the holidays."""

from collections.abc import Sequence
from datetime import date

import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected
from balcao.health_units.holidays.schemas import Holiday

_LIST = """
SELECT data, nome, ambito, facultativo, fecha FROM health_units.holidays
WHERE $1::int IS NULL OR (data >= make_date($1, 1, 1) AND data <= make_date($1, 12, 31))
ORDER BY data
"""


async def list_holidays(connection: Connection, year: int | None) -> list[Holiday]:
    return [msgspec.convert(dict(row), Holiday) for row in await connection.fetch(_LIST, year)]


_READ = "SELECT data, nome, ambito, facultativo, fecha FROM health_units.holidays WHERE data = $1"


async def read(connection: Connection, day: date) -> Holiday | None:
    row = await connection.fetchrow(_READ, day)
    return None if row is None else msgspec.convert(dict(row), Holiday)


_PUT = """
INSERT INTO health_units.holidays (data, nome, ambito, facultativo, fecha) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (data) DO UPDATE SET
    nome = excluded.nome, ambito = excluded.ambito, facultativo = excluded.facultativo, fecha = excluded.fecha
"""


async def put(connection: Connection, holiday: Holiday) -> None:
    await connection.execute(_PUT, *msgspec.structs.astuple(holiday))


_DELETE = "DELETE FROM health_units.holidays WHERE data = $1"


async def delete(connection: Connection, day: date) -> bool:
    """Return whether there was one."""
    return affected(await connection.execute(_DELETE, day)) > 0


_MISSING_YEARS = """
SELECT year FROM unnest($1::int[]) AS year
WHERE NOT EXISTS (SELECT FROM health_units.holiday_years WHERE ano = year)
"""


async def find_missing_years(connection: Connection, years: Sequence[int]) -> list[int]:
    """Return which of these years have not been entered yet."""
    return [row["year"] for row in await connection.fetch(_MISSING_YEARS, years)]


# A year is entered once: of two at the same time the second finds it taken. What the city wrote stays.
_ADD_YEAR = """
WITH year AS (
    INSERT INTO health_units.holiday_years (ano) VALUES ($1) ON CONFLICT DO NOTHING RETURNING ano
)
INSERT INTO health_units.holidays (data, nome, ambito, facultativo, fecha)
SELECT holiday.* FROM year CROSS JOIN LATERAL jsonb_to_recordset($2::jsonb) AS holiday (
    data date, nome text, ambito text, facultativo boolean, fecha boolean)
ON CONFLICT (data) DO NOTHING
"""


async def add_year(connection: Connection, year: int, holidays: Sequence[Holiday]) -> None:
    await connection.execute(_ADD_YEAR, year, json_text(holidays))
