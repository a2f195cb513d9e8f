"""A client can list only its own recent calls. The list contains refusal reasons but no content."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from balcao.core.audit import retention
from balcao.core.audit.platform_data import RETENTION
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.database import pool
from balcao.core.errors import Unavailable
from balcao.core.live import call_log
from balcao.core.live.call_log import CallLog
from tests.access.callers import BASE
from tests.core.relay import Relay
from tests.support import log_scan
from tests.support.demo_people import ANA, CARLA
from tests.support.fixture_types import Sql
from tests.support.issuer import CLIENT, Issuer, bearer
from tests.support.polling import until_now

PREFERENCES = f"/registry/v1/citizen/{ANA}/notification-preferences"
MACHINE, OTHER = "painel-saude", "portal-cidadao"
OWNER = ("https://identidade.example", "cliente")


@pytest.fixture(autouse=True, scope="module")
def _write_often() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(call_log, "FLUSH_SECONDS", 0.02)
        yield


def list_own(http: httpx.Client, token: str, **query: Any) -> list[dict[str, Any]]:
    answer = http.get(f"{BASE}/clients/me/calls", params={"limit": 100, **query}, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def find(http: httpx.Client, token: str, request_id: str, **query: Any) -> dict[str, Any] | None:
    return next((each for each in list_own(http, token, **query) if each["request_id"] == request_id), None)


def call(http: httpx.Client, token: str, path: str = PREFERENCES, **options: Any) -> str:
    """Make a call with a new request id, and return the id."""
    request_id = str(uuid4())
    options["headers"] = bearer(token) | {"X-Request-ID": request_id} | options.get("headers", {})
    http.request(options.pop("method", "GET"), path, **options)
    return request_id


@pytest.mark.cases("access", "56")
def test_a_client_sees_its_calls_with_the_remedy_beside_each_refusal(http: httpx.Client, issuer: Issuer) -> None:
    machine = issuer.machine(MACHINE)
    refused = call(http, machine)
    until_now(lambda: find(http, machine, refused) is not None)
    seen = find(http, machine, refused, status="4xx", code="forbidden")
    assert seen is not None
    assert (seen["operation"], seen["status"], seen["code"]) == ("registry.read_preferences", 403, "forbidden")
    assert seen["meaning"]
    assert seen["remedy"]
    assert seen["duration_ms"] >= 0
    assert find(http, machine, refused, status="2xx") is None
    assert find(http, machine, refused, code="too-many") is None
    assert {each["status"] for each in list_own(http, machine, status="200")} <= {200}


@pytest.mark.cases("access", "57")
def test_nobody_sees_the_calls_of_another_client(http: httpx.Client, issuer: Issuer) -> None:
    one, other = issuer.machine(MACHINE), issuer.machine(OTHER)
    first, second = call(http, one), call(http, other)
    until_now(lambda: find(http, one, first) is not None and find(http, other, second) is not None)
    assert find(http, one, second) is None
    assert find(http, other, first) is None


@pytest.mark.cases("access", "58")
def test_who_logged_in_by_a_client_is_among_its_calls_and_reads_none(http: httpx.Client, issuer: Issuer) -> None:
    """A user's token from a portal cannot read the portal's calls, since they include the calls of other users."""
    person = issuer.person(CARLA, azp=OTHER)
    seen = call(http, person)
    portal = issuer.machine(OTHER)
    until_now(lambda: find(http, portal, seen) is not None)
    for token in (person, issuer.admin(azp=OTHER), issuer.login(azp=OTHER), issuer.machine(CLIENT, azp="desconhecido")):
        answer = http.get(f"{BASE}/clients/me/calls", headers=bearer(token))
        assert (answer.status_code, answer.headers["Error-Code"]) == (403, "calls-of-a-client")


@pytest.mark.cases("access", "59")
def test_a_refused_token_counts_for_its_client_where_its_issuer_signed_it(http: httpx.Client, issuer: Issuer) -> None:
    machine, past = issuer.machine(MACHINE), int(time.time()) - 7200
    expired = call(http, issuer.machine(MACHINE, iat=past, exp=past + 300))
    elsewhere = call(http, issuer.machine(MACHINE, aud="outra"))
    forged = call(http, issuer.machine(MACHINE)[:-8] + "AAAAAAAA")
    until_now(lambda: find(http, machine, elsewhere) is not None)
    assert [find(http, machine, each)["code"] for each in (expired, elsewhere)] == ["token-expired", "token-audience"]  # type: ignore[index]
    assert "Peça outro" in find(http, machine, expired)["remedy"]  # type: ignore[index]
    assert find(http, machine, forged) is None


@pytest.mark.cases("access", "60")
def test_nothing_of_a_person_is_kept(http: httpx.Client, issuer: Issuer, sql: Sql) -> None:
    machine = issuer.machine(MACHINE)
    query = {"nome": "Ana Souza", "telefone": "5521999991234"}
    person = issuer.person(ANA, azp=MACHINE)
    made = [call(http, person, params=query), call(http, person, method="PUT", json=query)]
    until_now(lambda: all(find(http, machine, each) is not None for each in made))
    for row in sql("SELECT * FROM platform.call"):
        text = " ".join(str(value) for name, value in row.items() if name not in {"called_at", "request_id"})
        assert log_scan.kinds_in(text) == set()
        assert ANA not in str(row["request_id"])


@pytest.mark.parametrize("query", [{"status": "600"}, {"status": "4x"}, {"code": "É"}, {"limit": 101}])
def test_what_is_no_filter_is_refused(http: httpx.Client, issuer: Issuer, query: dict[str, Any]) -> None:
    answer = http.get(f"{BASE}/clients/me/calls", params=query, headers=bearer(issuer.machine(MACHINE)))
    assert answer.status_code == 422


async def count(sql: Sql) -> int:
    rows = await asyncio.to_thread(sql, "SELECT count(*) FROM platform.call WHERE client = $1", OWNER[1])
    return int(rows[0][0])


@pytest.mark.cases("access", "61")
async def test_the_last_thousand_calls_stay_whichever_process_wrote_them(platform: Platform, sql: Sql) -> None:
    one, other = CallLog(platform.database), CallLog(platform.database)
    for number in range(1500):
        one.add(OWNER, f"registry.first_{number}", 200, None, str(uuid4()), 0.001)
    await one.flush()
    assert await count(sql) == 1000
    for number in range(600):
        other.add(OWNER, f"registry.second_{number}", 200, None, str(uuid4()), 0.001)
    await other.flush()
    found = await call_log.list_calls(
        platform.database,
        *OWNER,
        age=call_log.RETENTION_PERIOD,
        least=100,
        most=599,
        code=None,
        request_id=None,
        limit=2000,
        skip=0,
    )
    assert len(found) == 1000
    assert (found[0].operation, found[-1].operation) == ("registry.second_599", "registry.first_1100")


@pytest.mark.cases("access", "61")
async def test_calls_are_kept_for_a_week(platform: Platform, sql: Sql) -> None:
    await asyncio.to_thread(sql, "DELETE FROM platform.call")
    for days in (2, 6):  # the second iteration ages the first call again
        log = CallLog(platform.database)
        log.add(OWNER, "registry.read_preferences", 200, None, str(uuid4()), 0.001)
        await log.flush()
        await asyncio.to_thread(sql, "UPDATE platform.call SET called_at = called_at - make_interval(days => $1)", days)
    (report,) = await retention.run_retention(
        operator_call(platform, retention.OPERATION), [one for one in RETENTION if one.kind == "call"]
    )
    assert (report.checked, report.removed) == (2, 1)


async def test_what_is_called_while_the_database_is_away_is_written_later(
    database_url: str, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "SERVING_SECONDS", 0.3)
    await asyncio.to_thread(sql, "DELETE FROM platform.call")
    with Relay(database_url) as relay:
        database = pool.Database(relay.url)
        database.is_serving = True
        await database.open()
        log = CallLog(database)
        relay.stop()
        for _ in range(2):
            log.add(OWNER, "registry.read_preferences", 503, "store-away", str(uuid4()), 0.3)
            with pytest.raises(Unavailable):
                await log.flush()
        relay.resume()
        await log.flush()
        await database.close()
    assert await count(sql) == 2
