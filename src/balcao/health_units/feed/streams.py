"""The listeners of this process, with the events that they have not received yet (rules: health_units 4.3)."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection, Iterable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from typing import NamedTuple
from weakref import WeakSet

from balcao.core.errors import TooMany

HEARTBEAT_SECONDS = 15.0
LONGEST_SECONDS = 3600.0
MOST_WAITING_BYTES = 256 * 1024
MOST_OF_PORTAL, MOST_OF_CLIENT, MOST_OF_PROCESS = 20, 5, 500
BEGINNING = b"retry: 3000\n"
_HEARTBEAT = b":\n\n"


class Change(NamedTuple):
    """A change, encoded as an event of the stream."""

    sequence: int
    cnes: str
    text: bytes


# A function that yields pages of encoded changes after the first number, up to the second number.
Replay = Callable[[int, int], AsyncIterator[bytes]]


@dataclass(eq=False)
class Listener:
    """One stream of events after the number `after`.

    `replay` yields the changes up to `joined_at`, the last change before the listener joined. Later changes arrive by
    `push`. `holder` is the client and address whose limit the stream counts towards. `ends_at` is in Unix seconds.
    """

    holder: tuple[str, str]
    codes: Collection[str]
    joined_at: int
    after: int
    ends_at: float
    is_current: Callable[[], bool]
    has_ended: Callable[[], bool]
    replay: Replay
    _waiting: deque[bytes] = field(default_factory=deque)
    _waiting_bytes: int = 0
    _woken: asyncio.Event = field(default_factory=asyncio.Event)
    _reader: "asyncio.Task[object] | None" = None

    def push(self, change: Change) -> bool:
        """Queue a change if the listener follows its unit. Return False if MOST_WAITING_BYTES would be exceeded."""
        if change.sequence <= self.after or (self.codes and change.cnes not in self.codes):
            return True
        self._waiting_bytes += len(change.text)
        if self._waiting_bytes > MOST_WAITING_BYTES:
            return False
        self._waiting.append(change.text)
        self._woken.set()
        return True

    def cut_off(self) -> None:
        """End the stream of a client that does not read its events."""
        if self._reader is not None:
            self._reader.cancel()

    async def listen(self, first: bytes) -> AsyncGenerator[bytes, None]:
        """Yield the events until `ends_at`, until the caller's access ends, or until the board is stale."""
        self._reader = asyncio.current_task()
        # With this id, a client can resume without a gap if its connection breaks before the first event.
        yield BEGINNING + b"id: %d\n\n" % self.after + first
        if self.after < self.joined_at:
            async for page in self.replay(self.after, self.joined_at):
                yield page
        while (left := self.ends_at - time.time()) > 0 and not self.has_ended():
            if not self._waiting:
                self._woken.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(min(HEARTBEAT_SECONDS, left)):
                        await self._woken.wait()
            if self._waiting:
                text = b"".join(self._waiting)
                self._waiting.clear()
                self._waiting_bytes = 0
                yield text
            elif not self.is_current():
                return
            else:
                yield _HEARTBEAT


class Hub:
    """All listeners of a process.

    A listener counts towards the limits until its stream ends, or until its response is discarded unread. `last` is the
    number of the last published change, or None until the board was read for the first time.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self.listeners: WeakSet[Listener] = WeakSet()

    def require_capacity(self, holder: tuple[str, str], most: int) -> None:
        """Raise TooMany if the holder already has `most` streams, or the process has MOST_OF_PROCESS."""
        held = Counter(listener.holder for listener in self.listeners)
        if held[holder] >= most or held.total() >= MOST_OF_PROCESS:
            raise TooMany("Fluxos demais abertos: feche um e tente de novo.", code="too-many-streams", retry_after=30)

    async def listen(self, listener: Listener, first: bytes) -> AsyncGenerator[bytes, None]:
        """Yield `first`, then the listener's events. Remove the listener at the end."""
        try:
            async with aclosing(listener.listen(first)) as texts:
                async for text in texts:
                    yield text
        finally:
            self.listeners.discard(listener)  # WeakSet would keep it until it is garbage-collected

    def publish(self, changes: Iterable[Change]) -> None:
        """Send the changes to all listeners, and end the streams of clients that do not read."""
        listeners = list(self.listeners)
        for change in changes:
            self.last = change.sequence
            lost = [listener for listener in listeners if not listener.push(change)]
            for listener in lost:
                listeners.remove(listener)
                self.listeners.discard(listener)
                listener.cut_off()
