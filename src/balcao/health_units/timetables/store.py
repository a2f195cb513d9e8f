"""SQL for the units' timetables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.values.cnes import Cnes
from balcao.health_units.opening import Interval
from balcao.health_units.timetables.schemas import DayException, Week

_REPLACE_WEEK = """
ON CONFLICT (cnes) DO UPDATE SET semana = excluded.semana, abre_feriado = excluded.abre_feriado
"""


@statement(f"""
INSERT INTO health_units.unit_weekly_hours (cnes, semana, abre_feriado)
VALUES (:cnes, :semana::jsonb, :abre_feriado)
{_REPLACE_WEEK}
""")
async def upsert_week(connection: Connection, week: Week) -> None:
    """Write a unit's weekly hours. The unit must exist."""


# The query skips unchanged weeks, so their rows are not even locked. OFFSET 0 stops the planner from turning the
# LATERAL into a join, so PostgreSQL looks up each week by its key.
@statement(f"""
WITH offered AS MATERIALIZED (
    SELECT cnes, semana, abre_feriado
    FROM unnest(:weeks.cnes::text[], :weeks.semana::jsonb[], :weeks.abre_feriado::boolean[])
        AS offered (cnes, semana, abre_feriado)
)
INSERT INTO health_units.unit_weekly_hours (cnes, semana, abre_feriado)
SELECT offered.* FROM offered LEFT JOIN LATERAL (
    SELECT semana, abre_feriado FROM health_units.unit_weekly_hours WHERE cnes = offered.cnes OFFSET 0
) AS stored ON true
WHERE (stored.semana, stored.abre_feriado) IS DISTINCT FROM (offered.semana, offered.abre_feriado)
{_REPLACE_WEEK}
RETURNING cnes
""")
async def put_changed_weeks(connection: Connection, weeks: Sequence[Week]) -> set[Cnes]:
    """Write the weeks that differ from the stored weeks. Return the units whose weeks were written.

    All units must exist.
    """


@lookup("SELECT cnes, semana, abre_feriado FROM health_units.unit_weekly_hours WHERE cnes = :cnes")
async def select_week(source: Source, cnes: Cnes) -> Week | None: ...


@statement("SELECT cnes FROM health_units.unit_weekly_hours")
async def list_units_with_week(connection: Connection) -> set[str]:
    """Return the codes (CNES) of the units that have a timetable."""


@statement("""
INSERT INTO health_units.unit_exceptions (cnes, data, intervalos, motivo)
VALUES (:cnes, :data, :intervalos::jsonb, :motivo)
ON CONFLICT (cnes, data) DO UPDATE SET intervalos = excluded.intervalos, motivo = excluded.motivo
""")
async def upsert_exception(connection: Connection, exception: DayException) -> None:
    """Write a unit's exception. The unit must exist."""


@statement("""
SELECT cnes, data, intervalos, motivo FROM health_units.unit_exceptions
WHERE cnes = :cnes AND data BETWEEN :first AND :last ORDER BY data
""")
async def select_exceptions(connection: Connection, cnes: Cnes, first: date, last: date) -> list[DayException]: ...


@lookup("SELECT cnes, data, intervalos, motivo FROM health_units.unit_exceptions WHERE cnes = :cnes AND data = :day")
async def select_exception(source: Source, cnes: Cnes, day: date) -> DayException | None: ...


@statement("DELETE FROM health_units.unit_exceptions WHERE cnes = :cnes AND data = :day")
async def delete_exception(connection: Connection, cnes: Cnes, day: date) -> None: ...


class DayOpenings(msgspec.Struct):
    """The opening periods of a day with an exception. `motivo` is None if a proposed exception has no reason."""

    intervalos: list[Interval]
    motivo: str | None


@dataclass(frozen=True)
class Openings:
    """The data from which opening periods are computed. `week` is None if the unit has no timetable."""

    week: Mapping[int, list[Interval]] | None
    opens_on_holidays: bool
    exceptions: Mapping[date, DayOpenings]
    holidays: Mapping[date, str]


@lookup("""
SELECT hours.semana AS week, coalesce(hours.abre_feriado, false) AS opens_on_holidays, (
    SELECT coalesce(jsonb_object_agg(data, jsonb_build_object('intervalos', intervalos, 'motivo', motivo)), '{}')
    FROM health_units.unit_exceptions
    WHERE cnes = unit.cnes AND data BETWEEN :first AND :last
) AS exceptions, (
    SELECT coalesce(jsonb_object_agg(data, nome), '{}')
    FROM health_units.holidays
    WHERE fecha AND data BETWEEN :first AND :last
) AS holidays
FROM health_units.units AS unit
LEFT JOIN health_units.unit_weekly_hours AS hours ON hours.cnes = unit.cnes
WHERE unit.cnes = :cnes
""")
async def read_openings(source: Source, cnes: Cnes, first: date, last: date) -> Openings | None:
    """Return the data from which these days' opening periods are computed, or None for an unknown unit."""
