"""SQL for holidays."""

from collections.abc import Sequence
from datetime import date

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.health_units.holidays.schemas import Holiday


@statement("""
SELECT data, nome, ambito, facultativo, fecha FROM health_units.holidays
WHERE :year::int IS NULL OR (data >= make_date(:year, 1, 1) AND data <= make_date(:year, 12, 31))
ORDER BY data
""")
async def list_holidays(connection: Connection, year: int | None) -> list[Holiday]: ...


_READ = "SELECT data, nome, ambito, facultativo, fecha FROM health_units.holidays WHERE data = :day"


@lookup(_READ)
async def select_holiday(source: Source, day: date) -> Holiday | None: ...


@statement(f"{_READ} FOR UPDATE")
async def lock_holiday(connection: Connection, day: date) -> Holiday | None:
    """Lock a holiday's row until the transaction ends, and return the holiday."""


@statement("""
INSERT INTO health_units.holidays (data, nome, ambito, facultativo, fecha)
VALUES (:data, :nome, :ambito, :facultativo, :fecha)
ON CONFLICT (data) DO UPDATE SET
    nome = excluded.nome, ambito = excluded.ambito, facultativo = excluded.facultativo, fecha = excluded.fecha
""")
async def upsert_holiday(connection: Connection, holiday: Holiday) -> None: ...


@statement("DELETE FROM health_units.holidays WHERE data = :day")
async def delete_holiday(connection: Connection, day: date) -> None: ...


@statement("""
SELECT year FROM unnest(:years::int[]) AS year
WHERE NOT EXISTS (SELECT FROM health_units.holiday_years WHERE ano = year)
""")
async def find_missing_years(connection: Connection, years: Sequence[int]) -> list[int]:
    """Return the years whose holidays have not been added yet."""


# The holidays of a year are added only once. If two transactions add the same year, the second one waits and then
# inserts nothing. Holidays that the city wrote are not changed.
@statement("""
WITH year AS (
    INSERT INTO health_units.holiday_years (ano) VALUES (:year) ON CONFLICT DO NOTHING RETURNING ano
)
INSERT INTO health_units.holidays (data, nome, ambito, facultativo, fecha)
SELECT holiday.* FROM year CROSS JOIN LATERAL jsonb_to_recordset(:holidays::jsonb) AS holiday (
    data date, nome text, ambito text, facultativo boolean, fecha boolean)
ON CONFLICT (data) DO NOTHING
""")
async def add_year(connection: Connection, year: int, holidays: Sequence[Holiday]) -> None: ...
