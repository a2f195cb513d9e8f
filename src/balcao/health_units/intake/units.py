"""The import of units: a line for each, with the members of the PUT, and in JSON also its week."""

from collections.abc import Sequence
from typing import Any

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.imports.declaration import Import
from balcao.health_units.feed import service as feed
from balcao.health_units.intake.bodies import parse_body, parse_cnes
from balcao.health_units.timetables import service as timetables
from balcao.health_units.timetables.schemas import WeekBody
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody

BATCH = 100  # until their commit everybody else who changes a unit or a risk waits


class UnitRow(msgspec.Struct):
    """A unit; without `semana` its week stays as it is."""

    cnes: str
    nome: str
    tipo: str
    logradouro: str | None = None
    numero: str | None = None
    complemento: str | None = None
    cep: str | None = None
    telefone: str | None = None
    celular: str | None = None
    area: str | None = None
    bairro: str | None = None
    latitude: float | None = None
    longitude: float | None = None
    ativa: bool = True
    semana: dict[str, Any] | None = None
    abre_feriado: bool = False

    def __post_init__(self) -> None:
        """Check the row as bodies are checked. Raises Invalid."""
        parse_cnes(self.cnes)
        self.read_unit()
        self.read_week()

    def read_unit(self) -> UnitBody:
        """Return the unit. Raises Invalid."""
        return parse_body(UnitBody, msgspec.structs.asdict(self))

    def read_week(self) -> WeekBody | None:
        """Return the week, if there is one. Raises Invalid."""
        if self.semana is None:
            return None
        return parse_body(WeekBody, {"semana": self.semana, "abre_feriado": self.abre_feriado})


async def write(connection: Connection, rows: Sequence[UnitRow]) -> int:
    """Write what is new or different, and publish it; return how many units that is. The last row of a unit counts."""
    changed = 0
    for row in {row.cnes: row for row in rows}.values():
        cnes, week = parse_cnes(row.cnes), row.read_week()
        is_changed = await units.import_unit(connection, cnes, row.read_unit())
        if week is not None:
            is_changed |= await timetables.import_week(connection, cnes, week)
        if is_changed:
            await feed.publish_unit(connection, cnes)
            changed += 1
    return changed


IMPORT = Import("units", UnitRow, write, batch=BATCH, from_table=True)
