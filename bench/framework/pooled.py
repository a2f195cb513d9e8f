"""A database in which callers share no statements: each call acquires its own connection from asyncpg's pool."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Self, TypeVar

import asyncpg

from balcao.core.database.connections import STATEMENT_SECONDS
from balcao.core.database.pool import LOOKUP_SECONDS, Connection, Database, GroupedRead, GroupedWrite

T = TypeVar("T")
Item = TypeVar("Item")


async def _skip_reset(_: Connection) -> None:
    """Skip the reset query, which would cost each call a round trip. Our connections have no session state."""


class PooledDatabase(Database):
    """A database that runs each look-up and each grouped write as its own statement."""

    _pool: Any

    @classmethod
    @asynccontextmanager
    async def opened_beside(cls, other: Database) -> AsyncIterator[Self]:
        """Yield a database with the address, size and session settings of `other`."""
        made = cls(other.url, size=other.size)
        made.options = other.options
        await made.open()
        made._pool = await asyncpg.create_pool(
            made.url,
            max_size=made.size,
            reset=_skip_reset,
            command_timeout=STATEMENT_SECONDS,
            **made.options,
        )
        try:
            yield made
        finally:
            await made._pool.close()
            await made.close()

    async def read_grouped(self, read: "GroupedRead[Item, T]", item: Item) -> T:  # type: ignore[override]
        """Read one item with a statement for a single caller."""
        async with self._pool.acquire() as connection:
            (found,) = await read(connection, [item], LOOKUP_SECONDS)
            return found

    async def write_grouped(self, write: "GroupedWrite[Item, T]", row: Item) -> T:
        """Write the row in its own transaction, and return after the commit."""
        async with self._pool.acquire() as connection:
            (written,) = await write(connection, [row])
            return written
