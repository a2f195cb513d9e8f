"""Imports units. A row has the members of a PUT body. In JSON, it may also contain the weekly hours."""

from collections.abc import Sequence
from functools import cached_property
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

BATCH = 200  # small, because other writers wait until a batch commits


class UnitRow(msgspec.Struct, dict=True):
    """A unit in a file. Without `semana`, its weekly hours do not change."""

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
        """Validate the row with the rules for request bodies. Raises Invalid if a member is not valid."""
        _ = parse_cnes(self.cnes), self.unit, self.week

    @cached_property
    def unit(self) -> UnitBody:
        """Return the row's unit. Raises Invalid if a member is not valid."""
        return parse_body(UnitBody, msgspec.structs.asdict(self))

    @cached_property
    def week(self) -> WeekBody | None:
        """Return the row's weekly hours, or None without `semana`. Raises Invalid if a member is not valid."""
        if self.semana is None:
            return None
        return parse_body(WeekBody, {"semana": self.semana, "abre_feriado": self.abre_feriado})


async def write_units(connection: Connection, rows: Sequence[UnitRow]) -> int:
    """Write and publish new and changed units. Return the number of written units.

    If a unit has several rows, the last row counts.
    """
    latest = {parse_cnes(row.cnes): row for row in rows}
    weeks = {cnes: row.week for cnes, row in latest.items() if row.week is not None}
    changed = await units.import_units(connection, {cnes: row.unit for cnes, row in latest.items()})
    if weeks:
        changed |= await timetables.import_weeks(connection, weeks)
    await feed.publish_units(connection, [cnes for cnes in latest if cnes in changed])
    return len(changed)


IMPORT = Import("units", UnitRow, write_units, batch=BATCH, from_table=True)
