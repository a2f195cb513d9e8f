"""The fair scheduler starts each request once, in its caller's order, and greedy callers do not delay others."""

import asyncio
import contextlib
from collections import Counter, defaultdict, deque
from collections.abc import Callable
from contextvars import Context
from functools import partial
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
from balcao.gateway.fair_scheduler import (
    _EMPTY_ITERATIONS,
    _MOST_IN_FLIGHT,
    _MOST_STARTED,
    _SEVERAL_CALLERS_ITERATIONS,
    FairScheduler,
)
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

    def call_soon(self, planned: Callable[[], None], *, context: Context) -> None:
        self._planned.append(partial(context.run, planned))

    def run_iteration(self) -> bool:
        """Run all callbacks that are already scheduled, and return whether there were any."""
        planned, self._planned = self._planned, deque()
        for each in planned:
            each()
        return bool(planned)


class StartedConnection:
    """A connection with one request. If `is_immediate` is set, the request is finished as soon as it starts."""

    def __init__(self, world: "World", caller: str, *, waits: bool, is_immediate: bool) -> None:
        self.caller = caller
        self.waits = waits
        self._world = world
        self._is_immediate = is_immediate
        endpoint = SimpleNamespace(waits=waits)
        self.exchange = Exchange(
            cast("Any", endpoint), Request("GET", b"/"), Quota(1, lambda _: True), keep=True, is_old=False
        )

    def start(self, exchange: Exchange) -> None:
        assert exchange is self.exchange
        self._world.begun.append(self)
        self._world.this_iteration[self.caller] += 1
        if self._is_immediate or not self.waits:
            self._world.scheduler.leave(exchange)
        else:
            self._world.running[self.caller].append(self)

    start_queued = start


class World:
    """A scheduler with several connections, and a record of their events."""

    def __init__(self) -> None:
        self.loop = Loop()
        self.asked: list[StartedConnection] = []
        self.begun: list[StartedConnection] = []
        self.this_iteration: Counter[str] = Counter()
        self.running: dict[str, deque[StartedConnection]] = defaultdict(deque)
        self.scheduler = FairScheduler(cast("asyncio.AbstractEventLoop", self.loop), self._identify)

    def _identify(self, request: Request) -> Identity:
        caller = next(each.caller for each in self.asked if each.exchange.request is request)
        return Identity(caller, is_bounded=caller != UNBOUNDED)

    def ask(self, caller: str, *, waits: bool, is_immediate: bool) -> StartedConnection:
        asked = StartedConnection(self, caller, waits=waits, is_immediate=is_immediate)
        self.asked.append(asked)
        self.scheduler.enter(asked, asked.exchange)
        return asked

    def finish(self, caller: str) -> None:
        if self.running[caller]:
            self.scheduler.leave(self.running[caller].popleft().exchange)

    def run_iteration(self) -> bool:
        self.this_iteration.clear()
        return self.loop.run_iteration()

    def finish_all(self) -> None:
        """Run until every request has finished."""
        while self.run_iteration() or any(self.running.values()):
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
            case "ask", caller, waits, is_immediate, times:
                for _ in range(times):
                    world.ask(caller, waits=waits, is_immediate=is_immediate)
            case "finish", caller, times:
                for _ in range(times):
                    world.finish(caller)
            case _:
                world.run_iteration()
        assert all(len(running) <= _MOST_IN_FLIGHT for who, running in world.running.items() if who != UNBOUNDED)
        assert world.this_iteration.total() <= _MOST_STARTED
    world.finish_all()
    for caller in CALLERS:
        asked = [each for each in world.asked if each.caller == caller and each.waits]
        assert [each for each in world.begun if each.caller == caller and each.waits] == asked
    assert Counter(map(id, world.begun)) == Counter(map(id, world.asked))
    assert not world.scheduler._callers


@given(st.integers(1, 200), st.booleans())
def test_who_asks_once_is_begun_in_the_next_turn_however_many_requests_of_another_wait(
    many: int,
    waits: bool,
) -> None:
    world = World()
    for _ in range(many):
        world.ask("a", waits=waits, is_immediate=False)
    one = world.ask("b", waits=waits, is_immediate=False)
    world.run_iteration()
    assert one in world.begun
    assert sum(each.caller == "a" for each in world.begun) < 2 * _MOST_STARTED


MANY = st.integers(_SEVERAL_CALLERS_ITERATIONS + 3 * _MOST_STARTED, 200)


@given(MANY, st.booleans())
def test_beside_somebody_who_waits_every_third_turn_begins_one_of_a_caller(many: int, waits: bool) -> None:
    """While another caller's request waits, a caller with many requests starts only one of them every few iterations.

    This limit remains for a while after the waiting request has ended, because its caller may send another one.
    """
    world = World()
    world.ask("b", waits=True, is_immediate=False)
    for _ in range(many):
        world.ask("a", waits=waits, is_immediate=True)
    begun = []
    for _ in range((_EMPTY_ITERATIONS + 1) * 3):
        world.run_iteration()
        begun.append(world.this_iteration["a"])
    assert begun == [1, *[0] * _EMPTY_ITERATIONS] * 3
    world.finish("b")
    for _ in range((_EMPTY_ITERATIONS + 1) * (_SEVERAL_CALLERS_ITERATIONS - 1)):
        world.run_iteration()
        begun.append(world.this_iteration["a"])
    assert sum(begun) == 2 + _SEVERAL_CALLERS_ITERATIONS
    world.run_iteration()
    assert world.this_iteration["a"] == _MOST_STARTED


@given(MANY, st.booleans())
def test_who_asks_once_passes_no_turn(many: int, waits: bool) -> None:
    """If a caller with one request arrives, the caller with many requests must wait, not the new caller."""
    world = World()
    for _ in range(many):
        world.ask("a", waits=waits, is_immediate=True)
    one = world.ask("b", waits=waits, is_immediate=False)
    assert one not in world.begun
    world.run_iteration()
    assert one in world.begun
    assert world.this_iteration["a"] <= 1


def get(path: str, caller: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: a\r\nAuthorization: {caller}\r\n\r\n".encode()


@pytest.fixture
def echo() -> Echo:
    return Echo()


def test_one_callers_many_connections_leave_room_for_another(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        greedy = [opened.enter_context(Connection(server.port)) for _ in range(3 * _MOST_IN_FLIGHT)]
        for connection in greedy:
            connection.send(get("/waits", "greedy"))
        until_now(lambda: len(echo.seen) == _MOST_IN_FLIGHT)
        with Connection(server.port) as modest:
            modest.send(get("/later", "modest"))
            assert modest.answer() == "200 GET /later 0"
        assert len(echo.seen) == _MOST_IN_FLIGHT + 1
        echo.released.set()
        assert {connection.answer() for connection in greedy} == {"200 GET /waits 0"}
        assert len(echo.seen) == 3 * _MOST_IN_FLIGHT + 1


def test_a_token_that_is_new_waits_for_nobodys_end(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        for _ in range(3 * _MOST_IN_FLIGHT):
            opened.enter_context(Connection(server.port)).send(get("/waits", "new"))
        until_now(lambda: len(echo.seen) == 3 * _MOST_IN_FLIGHT)
        echo.released.set()


def test_who_leaves_while_they_wait_is_not_worked_for(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server:
        with contextlib.ExitStack() as opened:
            greedy = [opened.enter_context(Connection(server.port)) for _ in range(2 * _MOST_IN_FLIGHT)]
            for connection in greedy:
                connection.send(get("/waits", "greedy"))
            until_now(lambda: len(echo.seen) == _MOST_IN_FLIGHT)
            for connection in greedy:
                connection.reset()
        with Connection(server.port) as stays:
            for _ in range(3):  # the server has read the earlier requests by then
                stays.send(get("/", "other"))
                assert stays.answer() == "200 GET / 0"
            stays.send(get("/later", "greedy"))
            echo.released.set()
            assert stays.answer() == "200 GET /later 0"
        assert echo.seen.count(b"/waits") == _MOST_IN_FLIGHT


def test_requests_that_follow_on_a_connection_are_answered_after_one_that_waited(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        for _ in range(_MOST_IN_FLIGHT):
            opened.enter_context(Connection(server.port)).send(get("/waits", "greedy"))
        until_now(lambda: len(echo.seen) == _MOST_IN_FLIGHT)
        with Connection(server.port) as connection:
            connection.send(get("/later", "greedy") + get("/", "greedy") + get("/later?2", "other"))
            echo.released.set()
            assert [connection.answer() for _ in range(3)] == [
                "200 GET /later 0",
                "200 GET / 0",
                "200 GET /later?2 0",
            ]


def test_no_request_is_begun_in_the_context_of_another(echo: Echo) -> None:
    with RunningServer(echo, limits=Limits(settling_seconds=0)) as server, contextlib.ExitStack() as opened:
        connections = [opened.enter_context(Connection(server.port)) for _ in range(2 * _MOST_IN_FLIGHT)]
        for connection in connections:
            connection.send(get("/waits", "one") + get("/waits", "other"))
        until_now(lambda: len(echo.seen) >= _MOST_IN_FLIGHT)
        echo.released.set()
        for connection in connections:
            assert [connection.answer() for _ in range(2)] == ["200 GET /waits 0"] * 2
    assert echo.holders == [""] * 4 * _MOST_IN_FLIGHT
