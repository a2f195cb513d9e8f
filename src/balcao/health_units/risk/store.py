"""SQL for the current state of units."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, NamedTuple

from balcao.core.database.pool import Connection, Row
from balcao.core.database.results import read_part
from balcao.core.database.statements import statement
from balcao.core.values.cnes import Cnes
from balcao.health_units.opening import Timetable
from balcao.health_units.situation import Risco, Status


class NewestNotification(NamedTuple):
    """A unit's newest notification that was not closed as a mistake."""

    risco: Risco
    status: Status
    aberta_em: datetime
    ultima_atualizacao: datetime


class StoredState(NamedTuple):
    """A unit's own columns (`record`), its newest notification and its timetable."""

    cnes: str
    record: Mapping[str, Any]
    newest: NewestNotification | None
    timetable: Timetable | None

    @classmethod
    def from_row(cls, row: Row) -> "StoredState":
        """Create the state from a row of `_STATE`."""
        newest = None if row["risco"] is None else read_part(NewestNotification, row)
        timetable = None if row["week"] is None else read_part(Timetable, row)
        return cls(row["cnes"], row, newest, timetable)


# A unit's active notification is always its newest one. Exceptions and holidays are read from yesterday on, because the
# database and the city may have different dates.
_STATE = """
SELECT unit.cnes, unit.nome, unit.logradouro, unit.numero, unit.complemento, unit.cep, unit.telefone, unit.celular,
       unit.tipo, unit.area, unit.bairro, unit.latitude, unit.longitude, unit.ativa, unit.atualizado_em,
       newest.*, hours.semana AS week, hours.abre_feriado AS opens_on_holidays, (
    SELECT coalesce(jsonb_object_agg(data, intervalos), '{}')
    FROM health_units.unit_exceptions
    WHERE cnes = unit.cnes AND data >= current_date - 1
) AS exceptions
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


@statement(_STATE)
async def list_unit_states(connection: Connection) -> list[StoredState]: ...


@statement(_STATE + "WHERE unit.cnes = :cnes")
async def read_unit_state(connection: Connection, cnes: Cnes) -> StoredState:
    """Return the state of a unit. The unit must exist."""


@statement(_STATE + "WHERE unit.cnes = ANY(:units)")
async def list_states_of_units(connection: Connection, units: Collection[Cnes]) -> list[StoredState]: ...


@statement("SELECT data FROM health_units.holidays WHERE fecha AND data >= current_date - 1")
async def list_closing_holidays(connection: Connection) -> frozenset[date]: ...


class LastChange(NamedTuple):
    """The number and the time of the newest public change."""

    last: int
    em: datetime


@statement("SELECT last, em FROM health_units.feed_counter")
async def read_last_change(connection: Connection) -> LastChange: ...
