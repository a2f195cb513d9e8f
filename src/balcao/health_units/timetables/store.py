"""SQL of the units' openings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.queries import affected
from balcao.core.values.cnes import Cnes
from balcao.health_units.opening import Interval
from balcao.health_units.timetables.schemas import DayException

_REPLACE_WEEK = """
ON CONFLICT (cnes) DO UPDATE SET semana = excluded.semana, abre_feriado = excluded.abre_feriado
"""
# Nothing is written, and nothing returned, for an unknown unit.
_PUT_WEEK = (
    """
INSERT INTO health_units.unit_weekly_hours (cnes, semana, abre_feriado)
SELECT cnes, $2::jsonb, $3 FROM health_units.units WHERE cnes = $1
"""
    + _REPLACE_WEEK
)


async def put_week(
    connection: Connection, cnes: Cnes, week: Mapping[str, list[Interval]], opens_on_holidays: bool
) -> bool:
    """Return whether there is such a unit."""
    return affected(await connection.execute(_PUT_WEEK, cnes.digits, json_text(week), opens_on_holidays)) > 0


# A week that is so already is not even locked.
_PUT_CHANGED_WEEKS = f"""
WITH offered AS MATERIALIZED (
    SELECT cnes, semana::jsonb, abre_feriado
    FROM unnest($1::text[], $2::text[], $3::boolean[]) AS offered (cnes, semana, abre_feriado)
)
INSERT INTO health_units.unit_weekly_hours (cnes, semana, abre_feriado)
SELECT offered.* FROM offered LEFT JOIN LATERAL (
    SELECT semana, abre_feriado FROM health_units.unit_weekly_hours WHERE cnes = offered.cnes OFFSET 0
) AS stored ON true
WHERE (stored.semana, stored.abre_feriado) IS DISTINCT FROM (offered.semana, offered.abre_feriado)
{_REPLACE_WEEK}
RETURNING cnes
"""


async def put_changed_weeks(
    connection: Connection, weeks: Sequence[tuple[Cnes, Mapping[str, list[Interval]], bool]]
) -> set[Cnes]:
    """Write the weeks of units that exist unless they are so already; return the units of those that were written."""
    codes = [cnes.digits for cnes, _, _ in weeks]
    texts = [json_text(week) for _, week, _ in weeks]
    rows = await connection.fetch(_PUT_CHANGED_WEEKS, codes, texts, [on_holidays for _, _, on_holidays in weeks])
    return {Cnes(row["cnes"]) for row in rows}


_WITH_WEEK = "SELECT cnes FROM health_units.unit_weekly_hours"


async def list_codes(connection: Connection) -> set[str]:
    """Return the units that have a timetable."""
    return {row["cnes"] for row in await connection.fetch(_WITH_WEEK)}


_PUT_EXCEPTION = """
INSERT INTO health_units.unit_exceptions (cnes, data, intervalos, motivo)
SELECT cnes, $2, $3::jsonb, $4 FROM health_units.units WHERE cnes = $1
ON CONFLICT (cnes, data) DO UPDATE SET intervalos = excluded.intervalos, motivo = excluded.motivo
"""


async def put_exception(connection: Connection, new: DayException) -> bool:
    """Return whether there is such a unit."""
    written = await connection.execute(_PUT_EXCEPTION, new.cnes, new.data, json_text(new.intervalos), new.motivo)
    return affected(written) > 0


_DELETE_EXCEPTION = "DELETE FROM health_units.unit_exceptions WHERE cnes = $1 AND data = $2"


async def delete_exception(connection: Connection, cnes: Cnes, day: date) -> bool:
    """Return whether there was one."""
    return affected(await connection.execute(_DELETE_EXCEPTION, cnes.digits, day)) > 0


class DayOpenings(msgspec.Struct):
    intervalos: list[Interval]
    motivo: str


@dataclass(frozen=True)
class Openings:
    """All that the openings of some days follow from; `week` is None without timetable."""

    week: Mapping[int, list[Interval]] | None
    opens_on_holidays: bool
    exceptions: Mapping[date, DayOpenings]
    holidays: Mapping[date, str]


_OPENINGS = """
SELECT hours.semana, coalesce(hours.abre_feriado, false) AS abre_feriado, (
    SELECT coalesce(jsonb_object_agg(data, jsonb_build_object('intervalos', intervalos, 'motivo', motivo)), '{}')
    FROM health_units.unit_exceptions
    WHERE cnes = unit.cnes AND data BETWEEN $2 AND $3
) AS excecoes, (
    SELECT coalesce(jsonb_object_agg(data, nome), '{}')
    FROM health_units.holidays
    WHERE fecha AND data BETWEEN $2 AND $3
) AS feriados
FROM health_units.units AS unit
LEFT JOIN health_units.unit_weekly_hours AS hours ON hours.cnes = unit.cnes
WHERE unit.cnes = $1
"""
_decode_week = msgspec.json.Decoder(dict[int, list[Interval]]).decode
_decode_exceptions = msgspec.json.Decoder(dict[date, DayOpenings]).decode
_decode_holidays = msgspec.json.Decoder(dict[date, str]).decode


async def read_openings(connection: Connection, cnes: Cnes, first: date, last: date) -> Openings | None:
    """Return what the openings of these days follow from; None for an unknown unit."""
    row = await connection.fetchrow(_OPENINGS, cnes.digits, first, last)
    if row is None:
        return None
    return Openings(
        _decode_week(row["semana"]) if row["semana"] is not None else None,
        row["abre_feriado"],
        _decode_exceptions(row["excecoes"]),
        _decode_holidays(row["feriados"]),
    )
