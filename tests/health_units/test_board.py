"""A process does not show the board if its copy may be outdated (rules: health_units 5)."""

import asyncio
import time
from collections.abc import AsyncIterator

import httpx
import pytest
import pytest_asyncio

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.errors import NotFound
from balcao.core.values.cnes import Cnes
from balcao.gateway.asgi import AsgiApplication
from balcao.health_units import SERVICE
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.risk.board import BoardSnapshot, UnitBoard
from balcao.health_units.risk.service import refresh_board
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE
from tests.support.single_services import service_alone

UNIT = Cnes("7000001")


@pytest_asyncio.fixture
async def board(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> UnitBoard:
    """Return a board that only the test refreshes. In the platform, a process refreshes its board after each change."""
    own = UnitBoard()
    monkeypatch.setitem(platform.parts, UnitBoard, own)
    return own


@pytest_asyncio.fixture
async def client(platform: Platform, board: UnitBoard, issuer: Issuer) -> AsyncIterator[httpx.AsyncClient]:
    await units.put_unit(operator_call(platform, "health_units.test"), UNIT, UnitBody(nome="Teste", tipo=Tipo.CF))
    await refresh_board(platform, board)
    transport = httpx.ASGITransport(AsgiApplication(service_alone(SERVICE, platform)))
    headers = bearer(issuer.person("90000000175"))
    async with httpx.AsyncClient(transport=transport, base_url="http://health", headers=headers) as opened:
        yield opened


@pytest.mark.cases("health_units", "29")
async def test_an_unconfirmed_state_is_not_told_and_comes_back_by_itself(
    platform: Platform, board: UnitBoard, client: httpx.AsyncClient
) -> None:
    def age(seconds: float) -> None:
        board.confirmed_at = time.monotonic() - seconds

    assert (await client.get(f"/unidade/{UNIT}/risco")).status_code == 200
    age(100)
    assert (await client.get(f"/unidade/{UNIT}/risco")).status_code == 200
    age(121)
    for cnes in (UNIT, "9999999"):
        stale = await client.get(f"/unidade/{cnes}/risco")
        assert (stale.status_code, stale.headers["Error-Code"]) == (503, "risk-unconfirmed")
        assert stale.headers["Retry-After"] == "5"
        assert isinstance(stale.json()["detail"], str)
        assert stale.headers["Cache-Control"] == "no-store"
    readiness = await client.get("/readiness")
    assert (readiness.status_code, readiness.json()["checks"]["risk"]) == (503, False)
    await refresh_board(platform, board)
    assert (await client.get(f"/unidade/{UNIT}/risco")).status_code == 200
    assert (await client.get("/readiness")).status_code == 200


def test_a_picture_that_was_asked_for_earlier_never_takes_the_place_of_a_later_one() -> None:
    """If two reads overlap, the earlier one may end last. Its result must not replace the newer one."""
    board = UnitBoard()
    board.replace(BoardSnapshot(2, "", {}, frozenset()), asked_at=20.0)
    board.replace(BoardSnapshot(1, "", {}, frozenset()), asked_at=10.0)
    assert (board.sequence, board.confirmed_at) == (2, 20.0)


async def test_a_lost_listener_is_replaced_and_misses_nothing(platform: Platform) -> None:
    call = operator_call(platform, "health_units.test")
    cnes = Cnes("7000002")
    await units.put_unit(call, cnes, UnitBody(nome="Teste", tipo=Tipo.CF))
    async with platform.database.connection() as connection:
        await connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND query LIKE 'LISTEN%balcao_health_units%'"
        )
    await notifications.open_notification(call, cnes, OpenBody(risco=Risco.VERMELHO))
    async with asyncio.timeout(PATIENCE):
        while b"Vermelho" not in _body(platform, cnes):  # noqa: ASYNC110 - no event reports a refresh
            await asyncio.sleep(0)


def _body(platform: Platform, cnes: Cnes) -> bytes:
    try:
        return platform.part(UnitBoard).get(cnes).ready.body
    except NotFound:
        return b""
