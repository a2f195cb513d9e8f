"""What the processes under test send to PostgreSQL: one entry for each round trip."""

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
# Set in what keeps a serving process's copies current, and in what it repeats: it asks by itself, at any time.
_of_copy: ContextVar[bool] = ContextVar("of_copy", default=False)


class Statements:
    """The texts, in the order in which they were sent; apart from them `of_copies`, which a process reads by itself.

    Not counted is what happens once a connection: preparing a statement, and asking what a type is.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.of_copies: list[str] = []

    @staticmethod
    def settle(http: httpx.Client) -> None:
        """Wait until what the last call sent has been noted, which the driver does in the loop's next turn.

        The first of the two may be read within the turn in which the last call was answered.
        """
        for _ in range(2):
            http.get("/liveness")

    def note(self, sent: Any) -> None:
        if not any(mark in sent.query for mark in _ABOUT_TYPES):
            # The driver calls its loggers in the context of the task that asked.
            (self.of_copies if _of_copy.get() else self.texts).append(sent.query)


@contextmanager
def recorded() -> Iterator[Statements]:
    """Record what every connection sends that a pool opens from here on."""
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
