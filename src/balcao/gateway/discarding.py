"""Limit how fast the bodies of refused requests are read, so that they do not occupy the event loop.

A caller that is still sending receives the refusal only if the server continues to read for a while.
"""

import asyncio
from typing import Protocol

# How many bytes of refused bodies the server reads per second, on all connections together. At this rate, a single body
# of 16 MiB is read well within the two seconds after which the connection closes.
RATE = 64 * 1024 * 1024
# The minimum pause. A shorter pause would cost more than it saves.
SHORTEST_PAUSE = 0.005


class DiscardingConnection(Protocol):
    """The methods of `wire.Connection` that the limiter calls."""

    def pause(self) -> None:
        """Pause reading from the socket."""

    def resume_reading(self) -> None:
        """Continue reading from the socket, unless it is paused for another reason."""


class DiscardLimiter:
    """The shared rate limit for refused bodies on all connections of one server."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._free_at = 0.0

    def pause(self, connection: DiscardingConnection, size: int) -> None:
        """Count the bytes read. If they exceed the rate, pause reading from this connection until it allows more."""
        now = self._loop.time()
        self._free_at = max(self._free_at, now) + size / RATE
        if self._free_at - now >= SHORTEST_PAUSE:
            connection.pause()
            self._loop.call_at(self._free_at, connection.resume_reading)
