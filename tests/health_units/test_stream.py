"""The stream of changes: each listener gets every change once and in order (rules: health_units 4.3)."""

import itertools
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import httpx
import msgspec
import pytest

from balcao import app
from balcao.core.access.logout_tokens import EVENT
from balcao.core.audit import retention
from balcao.core.errors import TooMany
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed import streams
from balcao.health_units.feed.api import FEATURE as FEED
from balcao.health_units.feed.streams import Change, Hub, Listener
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import ChangeBody, CloseBody, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.issuer import Issuer, bearer
from tests.support.polling import PATIENCE, until_now
from tests.support.server import RunningServer

PATH = "/health-units/unidades/eventos"
# This limit keeps a failing test from hanging. It must be long enough for a busy machine.
LONGEST_READ_SECONDS = 120.0
_codes = itertools.count(4000001)


class Event(NamedTuple):
    kind: str
    id: int
    data: Any


class Stream:
    """An open stream, read event by event."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self.lines = answer.iter_lines()
        self.comments = 0
        self._ends_at = time.monotonic() + LONGEST_READ_SECONDS

    def read(self, count: int) -> list[Event]:
        """Return the next `count` events."""
        return list(itertools.islice(self, count))

    def __iter__(self) -> Iterator[Event]:
        """Yield the events.

        Fail if they do not arrive in time, because heartbeats would otherwise block the test forever.
        """
        members: dict[str, str] = {}
        for line in self.lines:
            if line.startswith(":"):
                self.comments += 1
                assert time.monotonic() < self._ends_at, "the expected events did not arrive"
            elif line:
                name, _, value = line.partition(": ")
                members[name] = value
            elif "event" in members:
                yield Event(members["event"], int(members["id"]), msgspec.json.decode(members["data"]))
                members = {}


Listen = Callable[..., Any]


@pytest.fixture
def listen(server: RunningServer, citizen: dict[str, str]) -> Listen:
    """Return a function that opens a stream, by default on the module's server."""

    @contextmanager
    def listen(
        query: Any = None,
        at: RunningServer = server,
        who: dict[str, str] = citizen,
        *,
        once: bool = False,
        **headers: str,
    ) -> Iterator[Stream]:
        url, sent = f"{at.url}{PATH}", who | {"Accept": "text/event-stream"} | headers
        ends_at = time.monotonic() + LONGEST_READ_SECONDS
        while True:
            assert time.monotonic() < ends_at, "the server still counts closed streams as open"
            with httpx.stream("GET", url, params=query, headers=sent, timeout=PATIENCE) as answer:
                if answer.status_code == 429 and not once:
                    continue  # the server may not have noticed an earlier stream's end
                stream = Stream(answer)
                if answer.status_code == 200:
                    assert answer.headers["Content-Type"] == "text/event-stream"
                    assert answer.headers["Cache-Control"] == "no-store"
                    assert next(stream.lines) == "retry: 3000"
                else:
                    answer.read()
                yield stream
                return

    return listen


@pytest.fixture
def unit(act: Any, sql: Sql, server: RunningServer) -> Cnes:
    """Create a unit, and return its code after the server has published it."""
    cnes = Cnes(str(next(_codes)))
    act(units.put_unit, cnes, UnitBody(nome="Unidade de teste", tipo=Tipo.CF))
    wait_for_server(server, sql)
    return cnes


def wait_for_server(server: RunningServer, sql: Sql) -> None:
    """Wait until the server has received all changes made so far."""
    token = _tokens[server.url]
    ((last,),) = sql("SELECT last FROM health_units.feed_counter")
    url = f"{server.url}/health-units/unidades/risco"
    until_now(lambda: httpx.get(url, headers=token, timeout=PATIENCE).json().get("sequencia", -1) >= last)


_tokens: dict[str, dict[str, str]] = {}


@pytest.fixture(autouse=True)
def remember(server: RunningServer, issuer: Issuer) -> None:
    _tokens[server.url] = bearer(issuer.machine("painel-saude", "sms:read"))


def change(act: Any, cnes: Cnes, *colors: Risco) -> None:
    """Open a notification, change it and close it. The calls cause one change more than there are colours."""
    opened = act(notifications.open_notification, cnes, OpenBody(risco=colors[0]))
    for color in colors[1:]:
        act(notifications.change_notification, cnes, opened.id, ChangeBody(risco=color))
    act(notifications.close_notification, cnes, opened.id, CloseBody())


def test_a_stream_without_the_events_that_a_test_waits_for_fails_the_test() -> None:
    stream = Stream(httpx.Response(200, content=b":\n\n" * 3))
    stream._ends_at = time.monotonic()
    with pytest.raises(AssertionError, match="did not arrive"):
        stream.read(1)


def test_a_connection_that_breaks_before_its_first_event_is_continued_without_a_gap(
    listen: Listen, act: Any, unit: Cnes
) -> None:
    with listen({"cnes": str(unit)}) as stream:
        line = next(line for line in stream.lines if line)
    name, _, number = line.partition(": ")
    assert name == "id"
    act(notifications.open_notification, unit, OpenBody(risco=Risco.VERMELHO))
    with listen({"cnes": str(unit)}, **{"Last-Event-ID": number}) as stream:
        assert stream.read(1)[0].kind in {"risco", "unidade"}


@pytest.mark.cases("health_units", "25")
def test_a_change_reaches_a_listener_and_the_next_read(
    listen: Listen, act: Any, unit: Cnes, http: httpx.Client, citizen: dict[str, str]
) -> None:
    with listen() as stream:
        act(notifications.open_notification, unit, OpenBody(risco=Risco.VERMELHO))
        # The creation of the unit may come first if the server had not published it when the stream was opened.
        event = next(each for each in stream if each.kind == "risco")
        shown = http.get(f"/health-units/unidade/{unit}/risco", headers=citizen).json()
    assert event.data == {"sequencia": event.id, **shown}
    assert shown["notificacao_ativa"]["risco"] == "Vermelho"


def test_a_change_reaches_the_listeners_of_every_process(
    listen: Listen, act: Any, unit: Cnes, settings: Settings, database_url: str
) -> None:
    with (
        RunningServer(app.build_application(settings, database_url, ["health_units"])) as alone,
        listen(at=alone) as there,
        listen() as here,
    ):
        change(act, unit, Risco.AMARELO)
        act(units.put_unit, unit, UnitBody(nome="Outro nome", tipo=Tipo.CF))
        assert [event.kind for event in here.read(3)] == ["risco", "risco", "unidade"]
        assert [event.kind for event in there.read(3)] == ["risco", "risco", "unidade"]


@pytest.mark.cases("health_units", "26")
def test_who_comes_back_gets_what_was_missed_then_what_comes(listen: Listen, act: Any, unit: Cnes, sql: Sql) -> None:
    with listen() as stream:
        change(act, unit, Risco.AMARELO)
        last = stream.read(2)[1].id
    change(act, unit, Risco.LARANJA, Risco.VERMELHO)
    with listen(**{"Last-Event-ID": str(last)}) as stream:
        missed = stream.read(3)
        change(act, unit, Risco.VERDE)
        live = stream.read(2)
    assert [event.id for event in [*missed, *live]] == list(range(last + 1, last + 6))
    assert [event.data["ultima_notificacao"]["risco"] for event in missed] == ["Laranja", "Vermelho", "Vermelho"]
    with listen({"desde": str(last + 1)}) as stream:
        assert [event.id for event in stream.read(4)] == list(range(last + 2, last + 6))


def test_many_writers_and_readers_who_come_and_go_see_every_number_once(
    listen: Listen, act: Any, unit: Cnes, sql: Sql
) -> None:
    """A client that resumes after its last number gets every change once, however often it reconnects."""
    ((last,),) = sql("SELECT last FROM health_units.feed_counter")
    others = [Cnes(str(next(_codes))) for _ in range(2)]
    for cnes in others:
        act(units.put_unit, cnes, UnitBody(nome="Unidade de teste", tipo=Tipo.CF))
    wanted = last + 2 + 3 * 8

    async def write_all(call: Any) -> None:
        import asyncio

        async def write(cnes: Cnes) -> None:
            for _ in range(4):
                opened = await notifications.open_notification(call, cnes, OpenBody(risco=Risco.AMARELO))
                await notifications.close_notification(call, cnes, opened.id, CloseBody())

        await asyncio.gather(*map(write, [unit, *others]))

    writing = threading.Thread(target=act, args=(write_all,))
    writing.start()
    seen: list[int] = []
    while (at := seen[-1] if seen else last) < wanted:
        with listen(**{"Last-Event-ID": str(at)}) as stream:
            seen += [event.id for event in stream.read(min(5, wanted - at))]
    writing.join(PATIENCE)
    assert seen == list(range(last + 1, wanted + 1))


def test_a_listener_of_some_units_hears_of_these_alone(listen: Listen, act: Any, unit: Cnes) -> None:
    other = Cnes(str(next(_codes)))
    with listen({"cnes": [other.digits, "9999999"]}) as stream:
        change(act, unit, Risco.AMARELO)
        act(units.put_unit, other, UnitBody(nome="Unidade de teste", tipo=Tipo.CF))
        (event,) = stream.read(1)
        assert (event.kind, event.data) == ("unidade", {"sequencia": event.id, "cnes": other.digits})
    with listen({"cnes": [other.digits], "desde": "0"}) as stream:
        assert [found.id for found in stream.read(1)] == [event.id]


@pytest.mark.cases("health_units", "27")
def test_what_is_not_kept_or_not_yet_there_leads_back_to_the_snapshot(
    listen: Listen, act: Any, unit: Cnes, sql: Sql, server: RunningServer
) -> None:
    change(act, unit, Risco.AMARELO)
    wait_for_server(server, sql)
    ((last,),) = sql("SELECT last FROM health_units.feed_counter")
    sql("UPDATE health_units.change_feed SET em = now() - interval '8 days' WHERE sequencia < $1", last)
    act(lambda call: retention.run_retention(call, FEED.retention))
    assert [tuple(row) for row in sql("SELECT sequencia FROM health_units.change_feed")] == [(last,)]
    for distance in (-2, 1):
        with listen(**{"Last-Event-ID": str(last + distance)}) as stream:
            (event,) = stream.read(1)
            assert event == Event("reset", last, {"sequencia": last})
            change(act, unit, Risco.AMARELO)
            assert [found.id for found in stream.read(2)] == [last + 1, last + 2]
        last += 2
        wait_for_server(server, sql)


@pytest.mark.parametrize(
    ("query", "headers"),
    [("cnes=123", {}), ("desde=x", {}), ("desde=-1", {}), ("", {"Last-Event-ID": "x"}), ("cnes=1234567&" * 101, {})],
)
def test_a_malformed_wish_is_a_listed_fault(listen: Listen, query: str, headers: dict[str, str]) -> None:
    with listen(query or None, **headers) as refused:
        assert (refused.answer.status_code, len(refused.answer.json()["detail"])) == (422, 1)


def test_who_may_listen(listen: Listen, issuer: Issuer) -> None:
    for who, status in (
        ({}, 401),
        (bearer(issuer.machine("painel-saude", "catalogo:read")), 403),
        (bearer(issuer.machine("painel-saude", "sms:read")), 200),
    ):
        with listen(who=who) as stream:
            assert stream.answer.status_code == status


@pytest.mark.long
def test_one_client_holds_so_many_streams_from_an_address(
    issuer: Issuer, settings: Settings, database_url: str, listen: Listen
) -> None:
    from contextlib import ExitStack

    changed = settings.model_copy(update={"risk_portal_clients": "painel-saude"})
    person, portal = bearer(issuer.person("90000000175")), bearer(issuer.machine("painel-saude", "sms:read"))
    with (
        RunningServer(app.build_application(changed, database_url, ["health_units"])) as alone,
        ExitStack() as stack,
        httpx.Client(base_url=alone.url, timeout=PATIENCE) as client,
    ):
        for _ in range(5):
            stack.enter_context(listen(at=alone, who=person))
        with listen(at=alone, who=person, once=True) as refused:
            assert (refused.answer.status_code, refused.answer.headers["Error-Code"]) == (429, "too-many-streams")
            assert refused.answer.headers["Retry-After"] == "30"
        assert client.head(PATH, headers=portal).status_code == 200  # HEAD uses no slot
        for _ in range(20):
            stack.enter_context(listen(at=alone, who=portal))
        with listen(at=alone, who=portal, once=True) as refused:
            assert (refused.answer.status_code, refused.answer.headers["Error-Code"]) == (429, "too-many-streams")
        metrics = client.get("/metrics").text
        assert 'balcao_risk_streams{process="api-0"}' in metrics
        stack.pop_all().close()
        until_now(lambda: client.head(PATH, headers=person).status_code == 200)


def test_a_stream_ends_with_its_token(listen: Listen, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    ending = bearer(issuer.person("90000000175", exp=int(time.time()) + 2))
    with listen(who=ending) as stream:
        assert list(stream) == []
        assert stream.comments > 0
    assert time.time() >= int(datetime.now(UTC).timestamp())


def test_a_stream_ends_after_its_longest_time_however_long_the_token_lives(
    listen: Listen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(streams, "LONGEST_SECONDS", 0.5)
    with listen() as stream:
        assert list(stream) == []


def test_a_stream_ends_with_the_session_that_it_was_opened_in(
    server: RunningServer, listen: Listen, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.05)
    with listen(who=bearer(issuer.person("90000000175", sid="of-the-stream"))) as stream:
        assert stream.answer.status_code == 200
        claims: dict[str, Any] = {
            "aud": "portal",
            "jti": "of-the-stream",
            "events": {EVENT: {}},
            "sid": "of-the-stream",
        }
        form = {"logout_token": issuer.token(**claims)}
        httpx.post(f"{server.url}/auth/backchannel-logout", data=form, timeout=PATIENCE).raise_for_status()
        assert list(stream) == []


def test_a_listener_who_does_not_read_is_cut_off_and_the_others_go_on() -> None:
    hub, text = Hub(), b"x" * 1024
    listeners = [_listener(), _listener()]
    hub.listeners.update(listeners)
    for number in range(1, 1000):
        hub.publish([Change(number, "1234567", text)])
        listeners[0]._waiting.clear()
        listeners[0]._waiting_bytes = 0
    assert list(hub.listeners) == [listeners[0]]
    assert listeners[1]._waiting_bytes <= streams.MOST_WAITING_BYTES + len(text)


def test_a_process_holds_so_many_streams_whoever_opens_them() -> None:
    hub = Hub()
    held = [_listener() for _ in range(streams.MOST_OF_PROCESS - 1)]
    hub.listeners.update(held)
    hub.require_capacity(("another", "address"), streams.MOST_OF_CLIENT)
    hub.listeners.add(last := _listener())
    with pytest.raises(TooMany) as refused:
        hub.require_capacity(("another", "address"), streams.MOST_OF_CLIENT)
    assert (refused.value.code, last in hub.listeners) == ("too-many-streams", True)


def _listener() -> Listener:
    async def nothing(_: int, __: int) -> Any:
        yield b""

    ends_at = (datetime.now(UTC) + timedelta(hours=1)).timestamp()
    return Listener(("client", "address"), (), 0, 0, ends_at, lambda: True, lambda: False, nothing)
