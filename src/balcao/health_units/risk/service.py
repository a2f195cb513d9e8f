"""Reads the risk of units. Callers read the board. Only its refresh and the feed read the database."""

import time
from collections.abc import Collection, Sequence
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.cnes import Cnes
from balcao.core.values.ready import Ready
from balcao.core.values.text import fold_text
from balcao.health_units.records import UnitRecord
from balcao.health_units.risk import store
from balcao.health_units.risk.board import BoardSnapshot, UnitBoard, UnitState
from balcao.health_units.risk.schemas import Situation, UnitRisk
from balcao.health_units.risk.store import StoredState
from balcao.health_units.situation import Status


def read_risk(call: Call, cnes: Cnes) -> Ready:
    """Return the response about a unit from the board.

    Raises NotFound if the unit does not exist, and Unavailable if the board is stale.
    """
    return call.platform.part(UnitBoard).get(cnes).ready


def read_risks(call: Call, codes: Sequence[str]) -> Ready:
    """Return the response about these units, or about all active units if `codes` is empty.

    Raises Unavailable if the board is stale.
    """
    board = call.platform.part(UnitBoard)
    return board.choose(codes) if codes else board.all_risks


async def read_unit_risk(connection: Connection, cnes: Cnes, zone: ZoneInfo) -> UnitRisk:
    """Return a unit's risk, as the current transaction sees it. The unit must exist."""
    return _to_risk(await store.read_unit_state(connection, cnes), zone)


async def list_unit_risks(connection: Connection, units: Collection[Cnes], zone: ZoneInfo) -> dict[str, UnitRisk]:
    """Return the risk of these units by CNES, as the current transaction sees it. The units must exist."""
    return {stored.cnes: _to_risk(stored, zone) for stored in await store.list_states_of_units(connection, units)}


async def refresh_board(platform: Platform, board: UnitBoard) -> None:
    """Read all units from the database and replace the board's snapshot. Raises Unavailable if the database is down."""
    asked_at = time.monotonic()
    zone = platform.zone
    async with platform.database.connection() as connection:
        # Order: read the number before the states. The states then contain every change up to the number. They may
        # also contain later changes, which listeners then get as events.
        last = await store.read_last_change(connection)
        stored = await store.list_unit_states(connection)
        holidays = await store.list_closing_holidays(connection)
    states = {each.cnes: _to_state(each, zone) for each in stored}
    board.replace(BoardSnapshot(last.last, format_rfc3339_seconds(last.em, zone), states, holidays), asked_at)


def _to_state(stored: StoredState, zone: ZoneInfo) -> UnitState:
    updated = format_rfc3339_seconds(stored.record["atualizado_em"], zone)
    risk = _to_risk(stored, zone)
    return UnitState(
        record=msgspec.convert({**stored.record, "atualizado_em": updated}, UnitRecord),
        folded_name=fold_text(stored.record["nome"]),
        risk=risk,
        opened_at=stored.newest.aberta_em if stored.newest and risk.notificacao_ativa else None,
        timetable=stored.timetable,
        ready=Ready.of(risk),
    )


def _to_risk(stored: StoredState, zone: ZoneInfo) -> UnitRisk:
    if stored.newest is None:
        return UnitRisk(stored.cnes, None, None)
    touched = format_rfc3339_seconds(stored.newest.ultima_atualizacao, zone)
    newest = Situation(stored.newest.risco, stored.newest.status, touched)
    return UnitRisk(stored.cnes, newest if newest.status == Status.ATIVO else None, newest)
