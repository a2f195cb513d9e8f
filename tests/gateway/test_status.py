"""The public status page. It works for all visitors, also while the database is down."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from xml.etree import ElementTree
from zoneinfo import ZoneInfo

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao import app
from balcao.core.access.live import CHANNEL, Maintenance
from balcao.core.audit import retention
from balcao.core.audit.platform_data import RETENTION
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.database import pool
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.live import incidents, maintenance
from balcao.core.live.response_counts import ResponseCount, begin_day, begin_five_minutes
from balcao.gateway.status import board
from balcao.gateway.status.judgement import DAYS, State, judge_service, list_status_days, measure_share
from balcao.gateway.status.words import format_share
from balcao.settings import Settings
from tests.core.relay import Relay
from tests.support.fixture_types import Sql
from tests.support.operator_calls import Act, acting
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

# XML must not contain these characters. One of them would make the whole feed unreadable.
NOT_XML = "\ufffe\uffff"
ATOM = {"a": "http://www.w3.org/2005/Atom"}
SENTENCE = "O banco de dados muda de máquina."
AGE = """UPDATE platform.incident SET opened_at = now() - make_interval(days => $1),
         resolved_at = now() - make_interval(days => $1) WHERE number = $2"""
COUNT = "INSERT INTO platform.response_count VALUES ($1, $2, $3, $4, 0, $5, 0, 1)"


@pytest.fixture(autouse=True, scope="module")
def _read_often() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(board, "READ_SECONDS", 0.05)
        yield


@pytest.fixture(autouse=True)
def _nothing_happened(sql: Sql) -> None:
    for table in ("response_count", "incident", "live_change"):
        sql(f"DELETE FROM platform.{table}")


@pytest.fixture(scope="module")
def act(settings: Settings, database_url: str) -> Iterator[Act]:
    with acting(settings, database_url, "platform.test") as act:
        yield act


@pytest.fixture(scope="module")
def processes(settings: Settings, database_url: str) -> Iterator[list[httpx.Client]]:
    """Yield clients of two servers on one database.

    The second runs two services but reports the status of all services.
    """
    with ExitStack() as stack:
        servers = [
            stack.enter_context(RunningServer(app.build_application(settings, database_url, names)))
            for names in ((), ("search", "agents"))
        ]
        yield [stack.enter_context(httpx.Client(base_url=server.url, timeout=PATIENCE)) for server in servers]


def read(http: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = http.get("/status.json").raise_for_status().json()
    return found


def find(http: httpx.Client, name: str) -> dict[str, Any]:
    (service,) = [each for each in read(http)["services"] if each["name"] == name]
    return service  # type: ignore[no-any-return]


def test_everybody_reads_how_each_service_stands_without_a_script(processes: list[httpx.Client]) -> None:
    http = processes[0]
    page = http.get("/status")
    assert page.status_code == 200
    assert "<script" not in page.text
    assert "script-src" not in page.headers["content-security-policy"]
    assert [service["name"] for service in read(http)["services"]] == list(app.NAMES)
    for service in read(http)["services"]:
        assert (service["state"], len(service["days"])) == ("operational", DAYS)
        assert service["title"] in page.text
    assert "Todos os serviços funcionam." in page.text
    assert '<a href="/status">' in http.get("/docs").text


def test_days_below_the_level_are_told_to_all_processes_alike(processes: list[httpx.Client], sql: Sql) -> None:
    today = begin_day(datetime.now(UTC), ZoneInfo("America/Sao_Paulo"))
    sql(COUNT, "day", today - timedelta(days=3), "search", 1000, 50)
    sql(COUNT, "day", today - timedelta(days=2), "search", 9000, 0)
    sql(COUNT, "day", today - timedelta(days=91), "search", 10, 10)  # this day is older than the displayed period
    for http in processes:
        until_now(lambda http=http: find(http, "search")["availability"] == pytest.approx(0.995))  # type: ignore[misc]
        days = [day["availability"] for day in find(http, "search")["days"]]
        assert (days[-4], days[-3], days[0]) == (pytest.approx(0.95), 1, None)
        text = http.get("/status").text
        assert "1 dia abaixo da meta" in text
        assert "99,50 % de boas respostas em 90 dias" in text


def test_a_service_that_fails_most_calls_is_down_until_it_answers_again(
    processes: list[httpx.Client], sql: Sql
) -> None:
    now = begin_five_minutes(datetime.now(UTC))
    sql(COUNT, "5m", now, "search", 10_000, 6_000)
    until_now(lambda: find(processes[0], "search")["state"] == "down")
    assert "Há serviços fora do ar." in processes[0].get("/status").text
    sql("UPDATE platform.response_count SET starts_at = starts_at - interval '20 minutes'")
    until_now(lambda: find(processes[0], "search")["state"] == "operational")


def test_an_incident_is_told_from_its_first_word_to_its_last(processes: list[httpx.Client], act: Act, sql: Sql) -> None:
    number = act(incidents.open_incident, "Buscas lentas", ["search"], "degraded", "Estamos <vendo>.", "ana@maquina")
    for http in processes:
        until_now(lambda http=http: find(http, "search")["state"] == "degraded")  # type: ignore[misc]
        page = http.get("/status").text
        assert "Buscas lentas" in page
        assert "Estamos &lt;vendo&gt;." in page
        assert "ana@maquina" not in page + http.get("/status.json").text + http.get("/status.atom").text
    act(incidents.add_note, number, f"Achamos a causa.{NOT_XML}", "ana@maquina")
    act(partial(incidents.add_note, resolves=True), number, "Voltou ao normal.", "bia@maquina")
    until_now(lambda: find(processes[0], "search")["state"] == "operational")
    (told,) = read(processes[0])["incidents"]
    assert [note["text"] for note in told["notes"]] == [
        "Estamos <vendo>.",
        f"Achamos a causa.{NOT_XML}",
        "Voltou ao normal.",
    ]
    feed = ElementTree.fromstring(processes[0].get("/status.atom").content)  # noqa: S314 - our own feed
    entries = feed.findall("a:entry", ATOM)
    assert [entry.findtext("a:content", None, ATOM) for entry in entries] == [
        "Voltou ao normal.",
        "Achamos a causa.",
        "Estamos <vendo>.",
    ]
    assert len({entry.findtext("a:id", None, ATOM) for entry in entries}) == 3
    with pytest.raises(Conflict):
        act(incidents.add_note, number, "Mais uma coisa.", "ana@maquina")
    trail = sql("SELECT action, actor_kind FROM platform.audit_event WHERE operation = 'platform.test' ORDER BY at")
    assert [tuple(event) for event in trail][-3:] == [("create", "operator"), *[("update", "operator")] * 2]


@pytest.mark.parametrize("words", ["", "Liguem para (21) 99999-1234.", "O CPF 529.982.247-25 falhou.", "a" * 1001])
def test_the_public_is_told_nothing_of_a_person_and_nothing_empty(act: Act, words: str) -> None:
    with pytest.raises(Invalid):
        act(incidents.open_incident, "Buscas lentas", ["search"], "down", words, "ana@maquina")
    with pytest.raises(Invalid):
        act(incidents.open_incident, words.replace("a" * 1001, "a" * 121), ["search"], "down", "Sim.", "ana@maquina")


def test_of_an_incident_that_is_not_there_nothing_is_said(act: Act) -> None:
    with pytest.raises(NotFound):
        act(incidents.add_note, 999, "Achamos a causa.", "ana@maquina")


def test_a_planned_maintenance_is_announced_and_begins_by_itself(
    processes: list[httpx.Client], act: Act, sql: Sql
) -> None:
    http, (begin, end) = processes[1], (datetime.now(UTC) + timedelta(hours=hours) for hours in (1, 3))
    act(maintenance.plan_maintenance, ["agents"], SENTENCE, begin, end, "ana@maquina")
    until_now(lambda: len(read(http)["planned_maintenance"]) == 1)
    assert SENTENCE in http.get("/status").text
    assert SENTENCE in http.get("/status.atom").text
    assert (find(http, "agents")["state"], act(maintenance.list_services_in_maintenance)) == ("operational", [])
    assert http.get("/agent/openapi.json").status_code == 200
    sql("UPDATE platform.live_change SET begins_at = now()")
    sql("SELECT pg_notify($1, '')", CHANNEL)
    until_now(lambda: find(http, "agents")["state"] == "maintenance")
    until_now(lambda: http.get("/agent/openapi.json").status_code == 503)
    assert find(http, "agents")["message"] == SENTENCE
    assert read(http)["planned_maintenance"] == []
    with pytest.raises(Conflict) as refused:  # the plan would end the current maintenance
        act(maintenance.plan_maintenance, ["agents"], SENTENCE, begin, end, "ana@maquina")
    assert refused.value.code == "in-maintenance"
    assert act(maintenance.end_maintenance, ["agents"]) == ["agents"]
    until_now(lambda: http.get("/agent/openapi.json").status_code == 200)


def test_the_copy_of_a_plan_begins_and_ends_in_time_without_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    closing = Maintenance(SENTENCE, ends=10_000.0, begins=1_000.0)
    for instant, is_closed in ((999.0, False), (1_001.0, True), (9_999.0, True), (10_001.0, False)):
        monkeypatch.setattr(time, "monotonic", lambda instant=instant: instant)
        assert (closing.refusal() is not None) is is_closed


@pytest.mark.long
def test_the_page_answers_while_the_database_is_away_and_says_since_when(
    settings: Settings, database_url: str, act: Act, monkeypatch: pytest.MonkeyPatch
) -> None:
    act(incidents.open_incident, "Buscas lentas", ["search"], "degraded", "Estamos vendo.", "ana@maquina")
    with (
        Relay(database_url) as relay,
        RunningServer(app.build_application(settings, relay.url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):
        assert read(http)["current"]
        with monkeypatch.context() as patch:
            patch.setattr(pool, "SERVING_SECONDS", 0.3)
            relay.stop()
            until_now(lambda: not read(http)["current"])
        away = read(http)
        assert away["state"] == "unknown"
        assert {service["state"] for service in away["services"]} == {"unknown"}
        page = http.get("/status")
        assert page.status_code == 200
        assert "Não sabemos como estão os serviços agora." in page.text
        assert "Buscas lentas" in page.text
        assert f'datetime="{at(settings, away["read_at"])}"' in page.text
        assert read(http)["read_at"] == away["read_at"]
        assert http.get("/status.atom").status_code == 200
        relay.resume()
        until_now(lambda: bool(read(http)["current"]))
        assert find(http, "search")["state"] == "degraded"


def at(settings: Settings, moment: str) -> str:
    return datetime.fromisoformat(moment).astimezone(settings.zone).isoformat(timespec="seconds")


async def test_incidents_go_four_hundred_days_after_their_end(platform: Platform, sql: Sql) -> None:
    call = operator_call(platform, retention.OPERATION)
    for days in (399, 401, None):
        number = await incidents.open_incident(call, "Buscas lentas", ["search"], "down", "Estamos vendo.", "ana@m")
        if days is not None:
            await incidents.add_note(call, number, "Voltou.", "ana@m", resolves=True)
            await asyncio.to_thread(sql, AGE, days, number)
    (report,) = await retention.run_retention(call, [one for one in RETENTION if one.kind == "incident"])
    assert (report.checked, report.removed) == (3, 1)


def counted(responses: int, faults: int) -> ResponseCount:
    return ResponseCount("5m", datetime(2026, 3, 1, tzinfo=UTC), "search", responses, 0, faults, 0, 0.0)


@pytest.mark.parametrize(
    ("responses", "faults", "said", "closed", "state"),
    [
        (0, 0, [], False, State.OPERATIONAL),
        (4, 4, [], False, State.OPERATIONAL),  # too few responses to judge
        (10, 5, [], False, State.DOWN),
        (1000, 14, [], False, State.OPERATIONAL),
        (1000, 15, [], False, State.DEGRADED),
        (1000, 0, ["degraded"], False, State.DEGRADED),
        (10, 9, ["degraded"], False, State.DOWN),
        (1000, 0, ["degraded", "down"], False, State.DOWN),
        (10, 9, ["down"], True, State.MAINTENANCE),
    ],
)
def test_what_operators_say_goes_before_what_was_counted(
    responses: int, faults: int, said: list[str], closed: bool, state: State
) -> None:
    assert judge_service([counted(responses, faults)], said, is_closed=closed) is state


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_no_share_is_rounded_up_to_a_better_one(good: int, faults: int) -> None:
    share = measure_share([counted(good + faults, faults)])
    assert (share is None) is (good + faults == 0)
    if share is not None:
        shown = float(format_share(share).removesuffix(" %").replace(",", "."))
        assert (shown == 100) is (faults == 0)
        assert shown == pytest.approx(share * 100, abs=0.0101)


def test_the_days_end_with_today_and_have_no_gap() -> None:
    days = list_status_days([], date(2026, 3, 1))
    assert (days[0].day, days[-1].day, len(days)) == (date(2025, 12, 2), date(2026, 3, 1), DAYS)
