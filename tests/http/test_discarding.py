"""The server reads the bodies of refused requests at a limited rate, which all connections share."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any, cast

import pytest

from balcao.core.http.operations import MIB
from balcao.gateway import discarding, wire
from balcao.gateway.discarding import RATE, SHORTEST_PAUSE, DiscardLimiter
from tests.http.application import Echo
from tests.http.connection import Connection
from tests.support.server import RunningServer

PIECE = 65_536
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


class World:
    """A simulated clock that jumps to the next timer, and connections that always have more to read."""

    def __init__(self, connections: int) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Any]] = []
        self.limiter = DiscardLimiter(cast("Any", self))
        self.ready = [PausedConnection() for _ in range(connections)]
        self.read = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Callable[[], None]) -> None:
        self.timers.append((when, callback))

    def run(self, seconds: float) -> None:
        while self.now < seconds:
            reading = [connection for connection in self.ready if not connection.is_paused]
            for connection in reading:
                self.read += PIECE
                self.limiter.pause(connection, PIECE)
            self.now = min((when for when, _ in self.timers), default=self.now) if not reading else self.now
            due = [call for when, call in self.timers if when <= self.now]
            self.timers = [timer for timer in self.timers if timer[0] > self.now]
            for call in due:
                call()


class PausedConnection:
    is_paused = False

    def pause(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False


def test_all_connections_together_are_read_at_the_rate() -> None:
    for connections in (1, 10, 200):
        world = World(connections)
        world.run(2.0)
        assert 1.9 * RATE < world.read < 2.1 * RATE + connections * PIECE


@pytest.fixture
def pausing() -> Iterator[tuple[RunningServer, Echo]]:
    """Yield a server that pauses after each piece of a refused body, but waits long for the rest of the body."""
    echo = Echo()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(discarding, "SHORTEST_PAUSE", 0)
        patch.setattr(wire, "_DISCARD_SECONDS", 60)
        with RunningServer(echo) as running:
            yield running, echo


def test_no_byte_is_lost_if_a_refused_body_arrives_behind_a_slow_request(pausing: tuple[RunningServer, Echo]) -> None:
    server, echo = pausing
    body = b"x" * 24 * MIB
    with Connection(server.port) as connection:
        connection.send(b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n" + GET * 15)
        assert echo.arrived.wait(20)
        sent = b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body) + GET
        taken = connection.send_while_read(sent, 0.5)
        assert taken < len(sent)
        echo.released.set()
        connection.send(sent[taken:])
        answers = ["200 GET /waits 0", *["200 GET / 0"] * 15, "200 POST /unread 0", "200 GET / 0"]
        assert [connection.answer() for _ in answers] == answers


def test_a_connection_that_is_closed_in_a_pause_harms_nobody(
    pausing: tuple[RunningServer, Echo], caplog: pytest.LogCaptureFixture
) -> None:
    server, _ = pausing
    for _ in range(20):
        with Connection(server.port) as leaving:
            leaving.send(b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % MIB + b"x" * MIB)
            leaving.reset()
    with Connection(server.port) as connection:
        connection.send(GET)
        assert connection.answer() == "200 GET / 0"
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


def test_a_short_rest_of_a_body_is_read_without_a_pause() -> None:
    world = World(1)
    world.limiter.pause(world.ready[0], int(RATE * SHORTEST_PAUSE / 2))
    assert not world.ready[0].is_paused


@pytest.mark.long
def test_refused_bodies_of_many_connections_are_read_at_the_rate(server: RunningServer) -> None:
    """Eight callers could send 256 MiB. The rate allows far less before the server cuts them off after two seconds."""
    body = b"x" * 32 * MIB
    taken: list[int] = []

    def send() -> None:
        with Connection(server.port) as connection, contextlib.suppress(OSError):
            connection.send(b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % len(body))
            for begin in range(0, len(body), MIB):
                taken.append(connection.send_while_read(body[begin : begin + MIB], 3))

    callers = [threading.Thread(target=send) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert 0 < sum(taken) < 200 * MIB
