"""Tickets that let a browser open the stream (rules: health_units 4.3)."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from balcao import app
from balcao.core.access.sessions import SessionEnd
from balcao.core.audit import retention
from balcao.core.audit.platform_data import RETENTION
from balcao.core.context.call import Call
from balcao.core.values.cnes import Cnes
from balcao.health_units.situation import Risco
from balcao.settings import Settings
from tests.health_units.test_stream import Stream, change, remember, unit  # noqa: F401 - fixtures
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

BASE = "/health-units/unidades/eventos"
# The statement extends the validity of tickets, because a slow test can outlast it.
_KEEP = "UPDATE platform.access_ticket SET expires_at = now() + interval '1 hour'"
_OF = "WHERE operation_key = 'health_units.stream_changes'"
_BIND = "WITH bound AS (UPDATE access.endpoint_mapping SET action_id = {} " + _OF + ") SELECT access.raise_version()"
Ask = Callable[..., str]


@pytest.fixture
def ask(http: httpx.Client, citizen: dict[str, str]) -> Ask:
    def ask(who: dict[str, str] = citizen, **query: Any) -> str:
        answer = http.post(f"{BASE}/bilhetes", params=query, headers=who)
        assert answer.status_code == 201, answer.text
        assert set(answer.json()) == {"bilhete", "expira_em"}
        return str(answer.json()["bilhete"])

    return ask


def use(http: httpx.Client, ticket: str) -> tuple[int, str | None]:
    """Open the stream with a ticket. Return the status, and the error code if the ticket is refused."""
    with http.stream("GET", f"{BASE}/ao-vivo", params={"bilhete": ticket}) as answer:
        return answer.status_code, answer.headers.get("Error-Code")


REFUSED = (401, "ticket-invalid")


def test_a_ticket_opens_the_stream_that_it_was_asked_for(http: httpx.Client, ask: Ask, act: Any, unit: Cnes) -> None:  # noqa: F811
    change(act, unit, Risco.AMARELO)
    ticket = ask(cnes=["9999999", unit.digits], desde=0)
    with http.stream("GET", f"{BASE}/ao-vivo", params={"bilhete": ticket}, timeout=PATIENCE) as answer:
        stream = Stream(answer)
        assert answer.headers["Content-Type"] == "text/event-stream"
        assert {event.data["cnes"] for event in stream.read(3)} == {unit.digits}


def test_a_ticket_serves_once_whoever_is_faster(http: httpx.Client, ask: Ask) -> None:
    ticket = ask(cnes=["9999999"])
    with ThreadPoolExecutor(8) as pool:
        answers = sorted(pool.map(lambda _: use(http, ticket), range(8)), key=str)
    assert answers == [(200, None)] + [REFUSED] * 7


def test_a_ticket_of_one_process_opens_the_stream_of_another(ask: Ask, settings: Settings, database_url: str) -> None:
    ticket = ask()
    with (
        RunningServer(app.build_application(settings, database_url, ["health_units"])) as alone,
        httpx.Client(base_url=alone.url, timeout=PATIENCE) as other,
    ):
        assert use(other, ticket) == (200, None)
        assert use(other, ticket) == REFUSED


def test_an_unknown_or_late_ticket_opens_nothing(http: httpx.Client, ask: Ask, sql: Sql) -> None:
    assert use(http, "inventado") == REFUSED
    late = ask()
    sql("UPDATE platform.access_ticket SET expires_at = now()")
    assert use(http, late) == REFUSED


def test_a_ticket_lives_for_half_a_minute(ask: Ask, sql: Sql) -> None:
    ask()
    left = "SELECT extract(epoch FROM max(expires_at) - now()) BETWEEN 0 AND 30 FROM platform.access_ticket"
    assert sql(left)[0][0] is True


def test_a_ticket_of_another_operation_opens_nothing(http: httpx.Client, ask: Ask, sql: Sql) -> None:
    ticket = ask()
    sql("UPDATE platform.access_ticket SET operation = 'health_units.read_risk'")
    assert use(http, ticket) == REFUSED


def test_a_ticket_of_a_session_that_ended_opens_nothing(
    http: httpx.Client, issuer: Issuer, ask: Ask, act: Any, sql: Sql
) -> None:
    who = bearer(issuer.person(ANA, sid="session-of-a-page"))
    ticket = ask(who)
    sql(_KEEP)

    async def end(call: Call) -> None:
        ended = SessionEnd(issuer.address, "of-a-page", 0.0, session="session-of-a-page")
        await call.platform.ended_sessions.record(ended)

    act(end)
    until_now(lambda: http.get("/health-units/unidades/risco", headers=who).status_code == 401)
    assert use(http, ticket) == REFUSED


def test_a_ticket_of_a_token_that_expired_opens_nothing(http: httpx.Client, issuer: Issuer, ask: Ask, sql: Sql) -> None:
    ending = int(time.time()) + 2
    ticket = ask(bearer(issuer.person(ANA, exp=ending)))
    sql(_KEEP)
    until_now(lambda: time.time() > ending)
    assert use(http, ticket) == REFUSED


def test_who_may_not_read_the_stream_any_more_is_refused_with_a_ticket_too(
    http: httpx.Client, ask: Ask, citizen: dict[str, str], sql: Sql
) -> None:
    ticket = ask()
    sql(_KEEP)
    ((bound,),) = sql(f"SELECT action_id FROM access.endpoint_mapping {_OF}")
    ((manage,),) = sql("SELECT id FROM access.action WHERE name = 'health_unit:manage'")
    try:
        sql(_BIND.format(manage))
        until_now(lambda: http.head(BASE, headers=citizen).status_code == 403)
        assert use(http, ticket) == (403, "forbidden")
    finally:
        sql(_BIND.format(bound))
        until_now(lambda: http.head(BASE, headers=citizen).status_code == 200)


def test_the_database_names_nobody_who_holds_a_ticket(ask: Ask, sql: Sql) -> None:
    ticket = ask()
    rows = [dict(row) for row in sql("SELECT * FROM platform.access_ticket")]
    written = json.dumps(rows, default=lambda value: value.hex() if isinstance(value, bytes) else str(value))
    assert ticket not in written
    assert ANA not in written


def test_tickets_that_nobody_used_go_away(ask: Ask, act: Any, sql: Sql) -> None:
    for _ in range(3):
        ask()
    sql("UPDATE platform.access_ticket SET expires_at = now()")
    ask()
    assert sql("SELECT count(*) FROM platform.access_ticket")[0][0] == 1
    sql("UPDATE platform.access_ticket SET expires_at = now()")
    act(lambda call: retention.run_retention(call, [one for one in RETENTION if one.kind == "access_ticket"]))
    assert sql("SELECT count(*) FROM platform.access_ticket")[0][0] == 0


def test_without_a_token_nobody_gets_a_ticket(http: httpx.Client) -> None:
    assert http.post(f"{BASE}/bilhetes").status_code == 401
