"""What the processes under test send to PostgreSQL: one entry for each round trip."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest

# The driver's own statements about a type that it meets for the first time.
_ABOUT_TYPES = ("typeinfo_tree", "set_config('jit'")
# What a serving process reads by itself at any time, to keep its copies of it.
_OF_COPIES = (" access.", " identity.", " platform.live_change")


class Statements:
    """The texts, in the order in which they were sent.

    Not counted is what happens once a connection: preparing a statement, and asking what a type is.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []

    def note(self, sent: Any) -> None:
        if not any(mark in sent.query for mark in _ABOUT_TYPES):
            self.texts.append(sent.query)

    def of_calls(self) -> list[str]:
        """Return what was sent for callers, where none of them asked for access or identity."""
        return [text for text in self.texts if not any(mark in text for mark in _OF_COPIES)]


@contextmanager
def recorded() -> Iterator[Statements]:
    """Record what every connection sends that a pool opens from here on."""
    found = Statements()
    create: Callable[..., Any] = asyncpg.create_pool

    async def listen(connection: asyncpg.Connection) -> None:
        connection.add_query_logger(found.note)

    def create_heard(*args: Any, **settings: Any) -> Any:
        return create(*args, **{**settings, "init": listen})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncpg, "create_pool", create_heard)
        yield found
