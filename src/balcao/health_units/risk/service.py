"""The units' risk: read from the board by callers, from the database by who refreshes the board or writes the feed."""

import time
from collections.abc import Sequence
from datetime import date
from zoneinfo import ZoneInfo

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.http.responses import Ready
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.cnes import Cnes
from balcao.core.values.text import fold
from balcao.health_units.opening import Interval, Timetable
from balcao.health_units.records import UnitRecord
from balcao.health_units.risk import store
from balcao.health_units.risk.board import Picture, UnitBoard, UnitState
from balcao.health_units.risk.schemas import Situation, UnitRisk
from balcao.health_units.situation import Status

_decode_week = msgspec.json.Decoder(dict[int, list[Interval]]).decode
_decode_exceptions = msgspec.json.Decoder(dict[date, list[Interval]]).decode


def read_risk(call: Call, cnes: Cnes) -> Ready:
    """Return a unit's response from the board. Raises Unavailable and NotFound."""
    return call.platform.part(UnitBoard).get(cnes).ready


def read_risks(call: Call, codes: Sequence[str]) -> Ready:
    """Return the response for these units, or for all active ones where none is named. Raises Unavailable."""
    board = call.platform.part(UnitBoard)
    return board.choose(codes) if codes else board.snapshot


async def read_unit_risk(connection: Connection, cnes: Cnes, zone: ZoneInfo) -> UnitRisk:
    """Return the risk as the transaction at hand sees it; the unit exists."""
    return _to_risk(await store.read_state(connection, cnes), zone)


async def refresh(platform: Platform, board: UnitBoard) -> None:
    """Fill the board with what the database holds now. Raises Unavailable."""
    asked_at = time.monotonic()
    zone = platform.zone
    async with platform.database.connection() as connection:
        # First the number: the states may hold later changes too, never miss one up to it.
        last = await store.read_last_change(connection)
        rows = await store.list_states(connection)
        holidays = await store.list_closing_holidays(connection)
    states = {row["cnes"]: _to_state(row, zone) for row in rows}
    changed_at = format_rfc3339_seconds(last["em"], zone)
    board.replace(Picture(last["last"], changed_at, states, frozenset(holidays)), asked_at)


def _to_state(row: Row, zone: ZoneInfo) -> UnitState:
    members = dict(row)
    members["atualizado_em"] = format_rfc3339_seconds(row["atualizado_em"], zone)
    risk = _to_risk(row, zone)
    return UnitState(
        record=msgspec.convert(members, UnitRecord),
        folded_name=fold(row["nome"]),
        risk=risk,
        opened_at=row["aberta_em"] if risk.notificacao_ativa else None,
        timetable=_to_timetable(row),
        ready=Ready.of(risk),
    )


def _to_risk(row: Row, zone: ZoneInfo) -> UnitRisk:
    if row["risco"] is None:
        return UnitRisk(row["cnes"], None, None)
    newest = Situation(row["risco"], row["status"], format_rfc3339_seconds(row["ultima_atualizacao"], zone))
    return UnitRisk(row["cnes"], newest if newest.status == Status.ATIVO else None, newest)


def _to_timetable(row: Row) -> Timetable | None:
    if row["semana"] is None:
        return None
    return Timetable(_decode_week(row["semana"]), row["abre_feriado"], _decode_exceptions(row["excecoes"]))
