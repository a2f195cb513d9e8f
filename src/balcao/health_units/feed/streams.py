"""Who listens to the changes in this process, and what each is still to be sent (rules: health_units 4.3)."""

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
    """A change as it is sent: one event of the stream."""

    sequence: int
    cnes: str
    text: bytes


# Yields the changes between two numbers, page by page.
Replay = Callable[[int, int], AsyncIterator[bytes]]


@dataclass(eq=False)
class Listener:
    """One stream. `holder` is whose limit it counts for; `ends_at` is in Unix seconds.

    It is sent what lies beyond `after`: by `replay` up to `joined_at`, the last change before it listened, then live.
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
        """Keep a change for the listener if it wants it; return false for one that has not read for too long."""
        if change.sequence <= self.after or (self.codes and change.cnes not in self.codes):
            return True
        self._waiting_bytes += len(change.text)
        if self._waiting_bytes > MOST_WAITING_BYTES:
            return False
        self._waiting.append(change.text)
        self._woken.set()
        return True

    def cut_off(self) -> None:
        """End the stream although its reader, for whom it waits, reads no more."""
        if self._reader is not None:
            self._reader.cancel()

    async def listen(self, first: bytes) -> AsyncGenerator[bytes, None]:
        """Yield what is to be sent, until the time is over, the right to it, or nobody can say what holds."""
        self._reader = asyncio.current_task()
        # The id lets a client whose connection breaks before the first event come back without a gap.
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
    """All listeners of a process; one counts until its stream ends, or its response is dropped without one.

    `last` is the number of the last change that they were told of; None until the units were read for the first time.
    """

    def __init__(self) -> None:
        self.last: int | None = None
        self.listeners: WeakSet[Listener] = WeakSet()

    def require_room(self, holder: tuple[str, str], most: int) -> None:
        """Raise TooMany when the holder, or the process, has as many streams as it may."""
        held = Counter(listener.holder for listener in self.listeners)
        if held[holder] >= most or held.total() >= MOST_OF_PROCESS:
            raise TooMany("Fluxos demais abertos: feche um e tente de novo.", code="too-many-streams", retry_after=30)

    async def listen(self, listener: Listener, first: bytes) -> AsyncGenerator[bytes, None]:
        """Yield what the listener is to be sent, beginning with `first`."""
        try:
            async with aclosing(listener.listen(first)) as texts:
                async for text in texts:
                    yield text
        finally:
            self.listeners.discard(listener)  # at once, not when the collector comes by

    def publish(self, changes: Iterable[Change]) -> None:
        """Tell every listener, and end the streams of those that do not read."""
        listeners = list(self.listeners)
        for change in changes:
            self.last = change.sequence
            lost = [listener for listener in listeners if not listener.push(change)]
            for listener in lost:
                listeners.remove(listener)
                self.listeners.discard(listener)
                listener.cut_off()
