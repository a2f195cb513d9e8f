"""The statements that the processes under test send to PostgreSQL, one entry for each round trip."""

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

# The driver's own statements about a type that it meets for the first time.
_ABOUT_TYPES = ("typeinfo_tree", "set_config('jit'")
# Set in tasks that refresh the cached copies of a serving process, or that it repeats, because they run at any time.
_of_copy: ContextVar[bool] = ContextVar("of_copy", default=False)


class Statements:
    """The texts of the statements in order. `of_copies` are those that a process sends by itself.

    Statements that run once for each connection are left out: preparing a statement, and reading a type.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.of_copies: list[str] = []

    @staticmethod
    def settle(http: httpx.Client) -> None:
        """Wait until the statements of the last call are recorded.

        The driver records them in the next iteration of the loop.

        The first of the two requests may be read in the iteration in which the last call was answered.
        """
        for _ in range(2):
            http.get("/liveness")

    def note(self, sent: Any) -> None:
        if not any(mark in sent.query for mark in _ABOUT_TYPES):
            # The driver calls its loggers in the context of the task that sent the statement.
            (self.of_copies if _of_copy.get() else self.texts).append(sent.query)


@contextmanager
def recorded() -> Iterator[Statements]:
    """Record the statements of every connection that a pool opens from now on."""
    found = Statements()
    connect = Connections._connect

    async def connect_heard(connections: Connections, seconds: float) -> asyncpg.Connection:
        connection = await connect(connections, seconds)
        connection.add_query_logger(found.note)
        return connection

    keep, repeat = Watch._keep, repeating._repeat

    async def keep_apart(watch: Watch) -> None:
        _of_copy.set(True)
        await keep(watch)

    async def repeat_apart(work: Callable[[], Awaitable[None]], seconds: float) -> None:
        _of_copy.set(True)
        await repeat(work, seconds)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Watch, "_keep", keep_apart)
        patch.setattr(repeating, "_repeat", repeat_apart)
        patch.setattr(Connections, "_connect", connect_heard)
        yield found
