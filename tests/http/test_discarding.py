"""The server reads the bodies of refused requests at a limited rate, which all connections share."""

import contextlib
import threading
from typing import Any, cast

import pytest

from balcao.core.http.operations import MIB
from balcao.gateway.discarding import RATE, SHORTEST_PAUSE, DiscardLimiter
from tests.http.connection import Connection
from tests.support.server import RunningServer

PIECE = 65_536


class World:
    """A simulated clock that jumps to the next timer, and connections that always have more to read."""

    def __init__(self, connections: int) -> None:
        self.now = 0.0
        self.timers: list[tuple[float, Any]] = []
        self.limiter = DiscardLimiter(cast("Any", self))
        self.ready = [Transport() for _ in range(connections)]
        self.read = 0

    def time(self) -> float:
        return self.now

    def call_at(self, when: float, callback: Any, transport: "Transport") -> None:
        self.timers.append((when, lambda: callback(transport)))

    def run(self, seconds: float) -> None:
        while self.now < seconds:
            reading = [transport for transport in self.ready if not transport.is_paused]
            for transport in reading:
                self.read += PIECE
                self.limiter.pause(cast("Any", transport), PIECE)
            self.now = min((when for when, _ in self.timers), default=self.now) if not reading else self.now
            due = [call for when, call in self.timers if when <= self.now]
            self.timers = [timer for timer in self.timers if timer[0] > self.now]
            for call in due:
                call()


class Transport:
    def __init__(self) -> None:
        self.is_paused = self.is_closed = False

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        assert not self.is_closed
        self.is_paused = False

    def is_closing(self) -> bool:
        return self.is_closed


def test_all_connections_together_are_read_at_the_rate() -> None:
    for connections in (1, 10, 200):
        world = World(connections)
        world.run(2.0)
        assert 1.9 * RATE < world.read < 2.1 * RATE + connections * PIECE


def test_a_connection_that_was_closed_in_a_pause_is_left_alone() -> None:
    world = World(1)
    (transport,) = world.ready
    while not transport.is_paused:
        world.limiter.pause(cast("Any", transport), PIECE)
    transport.is_closed = True
    for _, call in world.timers:
        call()
    assert transport.is_paused


def test_a_short_rest_of_a_body_is_read_without_a_pause() -> None:
    world = World(1)
    world.limiter.pause(cast("Any", world.ready[0]), int(RATE * SHORTEST_PAUSE / 2))
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
