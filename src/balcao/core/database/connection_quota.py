"""How many connections each caller holds at once: one caller's hundred calls must not take the pool from all others."""

import asyncio
from collections import deque
from contextvars import ContextVar

from balcao.core.errors import TooMany

# In whose name the running task takes connections: a caller's key or address; "" for the platform's own work, which
# has no bound, and for statements that callers share.
holder: ContextVar[str] = ContextVar("connection_holder", default="")


class ConnectionQuota:
    """Each holder has at most `largest` at once and waits for one of its own beyond that."""

    def __init__(self, largest: int) -> None:
        self._largest = largest
        self._held: dict[str, int] = {}
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    def take_now(self, name: str) -> bool:
        """Take one if the holder has not got all it may have, and return whether it did."""
        if not name:
            return True
        held = self._held.get(name, 0)
        if held >= self._largest:
            return False
        self._held[name] = held + 1
        return True

    async def take(self, name: str, seconds: float) -> None:
        """Take the next one that this holder gives back. Raises TooMany when none comes in time."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(name, deque()).append(turn)
        try:
            async with asyncio.timeout(seconds):
                await turn
        except BaseException as fault:
            if turn.done() and not turn.cancelled():
                self.give_back(name)  # given at the moment at which the caller gave up
            if isinstance(fault, TimeoutError):
                raise TooMany(code="too-many-at-once", retry_after=1) from None
            raise

    def give_back(self, name: str) -> None:
        """Let the holder's next call have it, else nobody."""
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
