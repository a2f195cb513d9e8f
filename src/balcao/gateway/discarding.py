"""Limit how fast the bodies of refused requests are read, so that they do not occupy the event loop.

A caller that is still sending receives the refusal only if the server continues to read for a while.
"""

import asyncio

# How many bytes of refused bodies the server reads per second, on all connections together. At this rate, a single body
# of 16 MiB is read well within the two seconds after which the connection closes.
RATE = 64 * 1024 * 1024
# The minimum pause. A shorter pause would cost more than it saves.
SHORTEST_PAUSE = 0.005


class DiscardLimiter:
    """The shared rate limit for refused bodies on all connections of one server."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._free_at = 0.0

    def pause(self, transport: asyncio.ReadTransport, size: int) -> None:
        """Count the bytes read. If they exceed the rate, pause reading from this connection until it allows more."""
        now = self._loop.time()
        self._free_at = max(self._free_at, now) + size / RATE
        if self._free_at - now >= SHORTEST_PAUSE:
            transport.pause_reading()
            self._loop.call_at(self._free_at, _resume, transport)


def _resume(transport: asyncio.ReadTransport) -> None:
    if not transport.is_closing():
        transport.resume_reading()
