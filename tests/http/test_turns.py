"""The fair scheduler starts each request once, in its caller's order, and greedy callers do not delay others."""

import asyncio
import contextlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from balcao import app
from balcao.core.context.platform import Platform
from balcao.core.http.operation_endpoint import OperationEndpoint
from balcao.core.http.requests import Request
from balcao.gateway.application import Identity
from balcao.gateway.exchanges import Exchange
from balcao.gateway.fair_scheduler import _A_TURN, _ACCOMPANIED, _AT_ONCE, _PASSED, FairScheduler
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota
from tests.http.application import Echo
from tests.http.connection import Connection
from tests.support.polling import until_now
from tests.support.server import RunningServer

CALLERS = "abc"
UNBOUNDED = "c"


class Loop:
    """An event loop that runs one iteration each time a test calls `turn`."""

    def __init__(self) -> None:
        self._planned: deque[Callable[[], None]] = deque()

    def call_soon(self, planned: Callable[[], None]) -> None:
        self._planned.append(planned)

    def turn(self) -> bool:
        """Run what is scheduled now, and return whether there was anything."""
        planned, self._planned = self._planned, deque()
        for each in planned:
            each()
        return bool(planned)


class Begun:
    """A connection with one request. With `at_once`, the request is finished as soon as it starts."""

    def __init__(self, world: "World", caller: str, *, waits: bool, at_once: bool) -> None:
        self.caller = caller
        self.waits = waits
        self._world = world
        self._at_once = at_once
        endpoint = SimpleNamespace(waits=waits)
        self.exchange = Exchange(
            cast("Any", endpoint), Request("GET", b"/"), Quota(1, lambda _: True), keep=True, is_old=False
        )

    def begin(self, exchange: Exchange) -> None:
        assert exchange is self.exchange
        self._world.begun.append(self)
        self._world.this_turn[self.caller] += 1
        if self._at_once or not self.waits:
            self._world.turns.leave(exchange)
        else:
            self._world.running[self.caller].append(self)

    begin_later = begin


class World:
    """A scheduler with several connections, and a record of what has happened to them."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.asked: list[Begun] = []
        self.begun: list[Begun] = []
        self.this_turn: Counter[str] = Counter()
        self.running: dict[str, deque[Begun]] = defaultdict(deque)
        self.turns = FairScheduler(cast("asyncio.AbstractEventLoop", self.loop), self._identify)

    def _identify(self, request: Request) -> Identity:
        caller = next(each.caller for each in self.asked if each.exchange.request is request)
        return Identity(caller, is_bounded=caller != UNBOUNDED)

    def ask(self, caller: str, *, waits: bool, at_once: bool) -> Begun:
        asked = Begun(self, caller, waits=waits, at_once=at_once)
        self.asked.append(asked)
        self.turns.enter(asked, asked.exchange)
        return asked

    def finish(self, caller: str) -> None:
        if self.running[caller]:
            self.turns.leave(self.running[caller].popleft().exchange)

    def turn(self) -> bool:
        self.this_turn.clear()
        return self.loop.turn()

    def finish_all(self) -> None:
        """Run until every request has finished."""
        while self.turn() or any(self.running.values()):
            for caller in CALLERS:
                self.finish(caller)


STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("ask"), st.sampled_from(CALLERS), st.booleans(), st.booleans(), st.integers(1, 40)),
        st.tuples(st.just("finish"), st.sampled_from(CALLERS), st.integers(1, 20)),
        st.tuples(st.just("turn")),
    ),
    max_size=40,
)


async def test_probes_and_gateways_checks_wait_behind_nobody(platform: Platform) -> None:
    endpoints = [
        endpoint for service in app.SERVICES for _, _, endpoint in app.mount_service(service, platform).endpoints
    ]
    operations = [endpoint for endpoint in endpoints if isinstance(endpoint, OperationEndpoint)]
    probes = [endpoint for endpoint in operations if endpoint.key.endswith((".liveness", ".readiness"))]
    checks = [endpoint for endpoint in operations if endpoint.key.startswith("access.check_")]
    assert probes
    assert checks
    assert not any(endpoint.waits for endpoint in (*probes, *checks))
    assert sum(endpoint.waits for endpoint in operations) > len(operations) / 2


@given(STEPS)
def test_each_request_is_begun_once_and_in_its_callers_order_and_nothing_is_left(steps: list[tuple[Any, ...]]) -> None:
    world = World()
    for step in steps:
        match step:
            case "ask", caller, waits, at_once, times:
                for _ in range(times):
                    world.ask(caller, waits=waits, at_once=at_once)
            case "finish", caller, times:
                for _ in range(times):
                    world.finish(caller)
            case _:
                world.turn()
        assert all(len(running) <= _AT_ONCE for who, running in world.running.items() if who != UNBOUNDED)
        assert world.this_turn.total() <= _A_TURN
    world.finish_all()
    for caller in CALLERS:
        asked = [each for each in world.asked if each.caller == caller and each.waits]
        assert [each for each in world.begun if each.caller == caller and each.waits] == asked
    assert Counter(map(id, world.begun)) == Counter(map(id, world.asked))
    assert not world.turns._callers


@given(st.integers(1, 200), st.booleans())
def test_who_asks_once_is_begun_in_the_next_turn_however_many_requests_of_another_wait(
    many: int,
    waits: bool,
) -> None:
    world = World()
    for _ in range(many):
        world.ask("a", waits=waits, at_once=False)
    one = world.ask("b", waits=waits, at_once=False)
    world.turn()
    assert one in world.begun
    assert sum(each.caller == "a" for each in world.begun) < 2 * _A_TURN


MANY = st.integers(_ACCOMPANIED + 3 * _A_TURN, 200)


@given(MANY, st.booleans())
def test_beside_somebody_who_waits_every_third_turn_begins_one_of_a_caller(many: int, waits: bool) -> None:
    """While another caller's request waits, a caller with many requests starts only one of them every few iterations.

    This limit remains for a while after the waiting request has ended, because its caller may send another one.
    """
    world = World()
    world.ask("b", waits=True, at_once=False)
    for _ in range(many):
        world.ask("a", waits=waits, at_once=True)
    begun = []
    for _ in range((_PASSED + 1) * 3):
        world.turn()
        begun.append(world.this_turn["a"])
    assert begun == [1, *[0] * _PASSED] * 3
    world.finish("b")
    for _ in range((_PASSED + 1) * (_ACCOMPANIED - 1)):
        world.turn()
        begun.append(world.this_turn["a"])
    assert sum(begun) == 2 + _ACCOMPANIED
    world.turn()
    assert world.this_turn["a"] == _A_TURN


@given(MANY, st.booleans())
def test_who_asks_once_passes_no_turn(many: int, waits: bool) -> None:
    """If a caller with one request arrives, the caller with many requests gives way, and not the newcomer."""
    world = World()
    for _ in range(many):
        world.ask("a", waits=waits, at_once=True)
    one = world.ask("b", waits=waits, at_once=False)
    assert one not in world.begun
    world.turn()
    assert one in world.begun
    assert world.this_turn["a"] <= 1


def get(path: str, caller: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: {caller}\r\n\r\n".encode()


@pytest.fixture
def echo() -> Echo:
    return Echo()


def test_one_callers_many_connections_leave_room_for_another(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        greedy = [opened.enter_context(Connection(server.port)) for _ in range(3 * _AT_ONCE)]
        for connection in greedy:
            connection.send(get("/waits", "greedy"))
        until_now(lambda: len(echo.seen) == _AT_ONCE)
        with Connection(server.port) as modest:
            modest.send(get("/later", "modest"))
            assert modest.answer() == "200 GET /later 0"
        assert len(echo.seen) == _AT_ONCE + 1
        echo.released.set()
        assert {connection.answer() for connection in greedy} == {"200 GET /waits 0"}
        assert len(echo.seen) == 3 * _AT_ONCE + 1


def test_a_token_that_is_new_waits_for_nobodys_end(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        for _ in range(3 * _AT_ONCE):
            opened.enter_context(Connection(server.port)).send(get("/waits", "new"))
        until_now(lambda: len(echo.seen) == 3 * _AT_ONCE)
        echo.released.set()


def test_who_leaves_while_they_wait_is_not_worked_for(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server:
        with contextlib.ExitStack() as opened:
            greedy = [opened.enter_context(Connection(server.port)) for _ in range(2 * _AT_ONCE)]
            for connection in greedy:
                connection.send(get("/waits", "greedy"))
            until_now(lambda: len(echo.seen) == _AT_ONCE)
            for connection in greedy:
                connection.reset()
        with Connection(server.port) as stays:
            for _ in range(3):  # by then, the server has read earlier requests
                stays.send(get("/", "other"))
                assert stays.answer() == "200 GET / 0"
            stays.send(get("/later", "greedy"))
            echo.released.set()
            assert stays.answer() == "200 GET /later 0"
        assert echo.seen.count(b"/waits") == _AT_ONCE


def test_requests_that_follow_on_a_connection_are_answered_after_one_that_waited(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        for _ in range(_AT_ONCE):
            opened.enter_context(Connection(server.port)).send(get("/waits", "greedy"))
        until_now(lambda: len(echo.seen) == _AT_ONCE)
        with Connection(server.port) as connection:
            connection.send(get("/later", "greedy") + get("/", "greedy") + get("/later?2", "other"))
            echo.released.set()
            assert [connection.answer() for _ in range(3)] == [
                "200 GET /later 0",
                "200 GET / 0",
                "200 GET /later?2 0",
            ]
