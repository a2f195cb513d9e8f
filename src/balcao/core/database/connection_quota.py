"""Limit the connections of each caller, so that many calls by one caller cannot exhaust the pool."""

import asyncio
from collections import deque
from contextvars import ContextVar

from balcao.core.errors import TooMany

# The caller whose quota the connections of the running task use: a key or an address. An empty string has no quota. The
# platform's own work and statements that several callers share use it.
holder: ContextVar[str] = ContextVar("connection_holder", default="")


class ConnectionQuota:
    """A quota of `largest` connections for each holder. Further calls wait until their holder returns a connection."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def acquire_now(self, name: str) -> bool:
        """Reserve a connection and return True, or return False if the holder has its full share."""
        if not name:
            return True
        held = self._held.get(name, 0)
        if held >= self._largest:
            return False
        self._held[name] = held + 1
        return True

    async def acquire(self, name: str, seconds: float) -> None:
        """Wait until this holder returns a connection, and reserve it. Raises TooMany after `seconds`."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except BaseException as fault:
            if turn.done() and not turn.cancelled():
                self.release(name)  # the reservation arrived just as the wait ended: pass it on
            if isinstance(fault, TimeoutError):
                raise TooMany(code="too-many-at-once", retry_after=1) from None
            raise

    def release(self, name: str) -> None:
        """Pass the reservation to the holder's next waiting call, or release it if none waits."""
        if not name:
            return
        if (turns := self._waiting.get(name)) is not None:
            while turns:
                turn = turns.popleft()
                if not turn.done():
                    turn.set_result(None)
                    return
            del self._waiting[name]
        if self._held[name] > 1:
            self._held[name] -= 1
        else:
            del self._held[name]
