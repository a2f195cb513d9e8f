"""A unit's risk: read from the board by callers, from the database by who refreshes the board or writes the feed."""

import time
from zoneinfo import ZoneInfo

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Row
from balcao.core.http.responses import Ready
from balcao.core.values.clock import format_rfc3339_seconds
from balcao.core.values.cnes import Cnes
from balcao.health_units.risk import store
from balcao.health_units.risk.board import RiskBoard
from balcao.health_units.risk.schemas import Situation, UnitRisk
from balcao.health_units.situation import Status


def read_risk(call: Call, cnes: Cnes) -> Ready:
    """Return a unit's response from the board. Raises Unavailable and NotFound."""
    return call.platform.part(RiskBoard).get(cnes)


async def read_unit_risk(call: Call, connection: Connection, cnes: Cnes) -> UnitRisk:
    """Return the risk as the transaction at hand sees it; the unit exists."""
    return _to_unit_risk(await store.read_state(connection, cnes), call.zone)


async def refresh(platform: Platform, board: RiskBoard) -> None:
    """Fill the board with what the database holds now. Raises Unavailable."""
    asked_at = time.monotonic()
    async with platform.database.connection() as connection:
        rows = await store.list_states(connection)
    zone = platform.zone
    board.replace([_to_unit_risk(row, zone) for row in rows], asked_at)


def _to_unit_risk(row: Row, zone: ZoneInfo) -> UnitRisk:
    if row["risco"] is None:
        return UnitRisk(row["cnes"], None, None)
    newest = Situation(row["risco"], row["status"], format_rfc3339_seconds(row["ultima_atualizacao"], zone))
    return UnitRisk(row["cnes"], newest if newest.status == Status.ATIVO else None, newest)
