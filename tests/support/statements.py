"""What the processes under test send to PostgreSQL: one entry for each round trip."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest


class Statements:
    """The texts, in the order in which they were sent; a statement's first preparation is not counted."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def note(self, sent: Any) -> None:
        self.texts.append(sent.query)


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
