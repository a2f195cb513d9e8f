"""Records the statements that the processes under test send to PostgreSQL, one entry per round trip."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import asyncpg
import httpx
import pytest

from balcao.core import repeating
from balcao.core.database.connections import Connections
from balcao.core.database.reloader import Watch

# Statements that are sent once for each connection: the driver asks about types that it does not know yet, and the pool
# asks whether a PgBouncer is between it and the server.
_ONCE = ("typeinfo_tree", "set_config('jit'", "SELECT pg_backend_pid()")
# This variable is set in background tasks, which run at any time: tasks that refresh cached copies, and repeated tasks.
_of_copy: ContextVar[bool] = ContextVar("of_copy", default=False)


class Statements:
    """Recorded statements in order.

    `of_copies` are those of background tasks, and `texts` are all others. Not recorded are the statements that run only
    once per connection.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.of_copies: list[str] = []

    @staticmethod
    def settle(http: httpx.Client) -> None:
        """Wait until the statements of the previous call are recorded.

        The driver records them in the next iteration of the event loop. One request is not enough, because the server
        may read it in the same iteration in which it responded to that call.
        """
        for _ in range(2):
            http.get("/liveness")

    def note(self, sent: Any) -> None:
        if not any(mark in sent.query for mark in _ONCE):
            # The driver calls loggers in the context of the task that sent the statement.
            (self.of_copies if _of_copy.get() else self.texts).append(sent.query)


@contextmanager
def recorded() -> Iterator[Statements]:
    """Record the statements of every connection that a pool opens within the block."""
    found = Statements()
    connect = Connections._connect

    async def connect_heard(connections: Connections, seconds: float) -> asyncpg.Connection:
        connection = await connect(connections, seconds)
        connection.add_query_logger(found.note)
        return connection

    keep, repeat = Watch._follow, repeating._repeat

    async def keep_apart(watch: Watch) -> None:
        _of_copy.set(True)
        await keep(watch)

    async def repeat_apart(work: Callable[[], Awaitable[None]], seconds: float) -> None:
        _of_copy.set(True)
        await repeat(work, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "_follow", keep_apart)
        patch.setattr(repeating, "_repeat", repeat_apart)
        patch.setattr(Connections, "_connect", connect_heard)
        yield found
