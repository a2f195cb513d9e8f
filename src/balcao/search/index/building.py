"""Build a generation of the index from the whole catalogue.

A thread indexes a small catalogue. A separate process indexes a large one, because the analysis of 100,000 services
takes half a minute of Python, which would slow down every request of this process.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from balcao.core.database.pool import Connection, Database
from balcao.search.collection.alias import Alias
from balcao.search.collection.store import read_alias
from balcao.search.index import store
from balcao.search.index.reader import IndexState, ServiceIndex
from balcao.search.index.store import IndexRow
from balcao.search.index.writer import BUILD_BYTES, IndexWriter

# The number of rows that one statement reads.
ROWS = 500
# A separate process indexes a larger catalogue. It needs half a second to start.
MOST_IN_THREAD = 2_000


class CatalogueSwitched(Exception):
    """The active table changed during the build."""


async def build(database: Database, generation: Path) -> IndexState:
    """Write all services into an empty folder, and return the state of the index.

    Changes after that state may be missing. Raises CatalogueSwitched if the active table changes, and ValueError or
    OSError if the folder cannot be written.
    """
    async with database.connection() as connection:
        state = await store.read_wanted_state(connection)
        count = await store.count_indexed(connection, await read_alias(connection))
    write = _write_in_thread if count <= MOST_IN_THREAD else _write_in_process
    await write(generation, state, _read_batches(database, state))
    return state


async def index_table(connection: Connection, alias: Alias) -> ServiceIndex:
    """Index a table in memory. The caller compares the returned index with the index of another table."""
    writer = await asyncio.to_thread(IndexWriter, None, BUILD_BYTES)
    after: str | None = None
    while rows := await store.list_index_rows(connection, alias, after, ROWS):
        await asyncio.to_thread(writer.add, rows)
        after = rows[-1].id
    await asyncio.to_thread(writer.commit, IndexState(0, "", alias.generation, ""))
    await asyncio.to_thread(writer.close)
    return writer.open_reader()


async def _read_batches(database: Database, state: IndexState) -> AsyncIterator[list[IndexRow]]:
    """Yield all services, in one transaction for each batch.

    A single transaction for all batches would prevent PostgreSQL from removing dead rows.
    """
    after: str | None = None
    while True:
        async with database.connection() as connection:
            alias = await read_alias(connection)
            if alias.generation != state.generation:
                raise CatalogueSwitched
            rows = await store.list_index_rows(connection, alias, after, ROWS)
        if not rows:
            return
        yield rows
        after = rows[-1].id


async def _write_in_thread(generation: Path, state: IndexState, batches: AsyncIterator[list[IndexRow]]) -> None:
    writer = await asyncio.to_thread(IndexWriter, generation)
    async for rows in batches:
        await asyncio.to_thread(writer.add, rows)
    await asyncio.to_thread(writer.commit, state)
    await asyncio.to_thread(writer.close)


async def _write_in_process(generation: Path, state: IndexState, batches: AsyncIterator[list[IndexRow]]) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", __package__, str(generation), stdin=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdin is not None
        process.stdin.write(msgspec.json.encode(state) + b"\n")
        async for rows in batches:
            process.stdin.write(msgspec.json.encode(rows) + b"\n")
            await process.stdin.drain()
        process.stdin.close()
        if await process.wait() != 0:
            raise OSError(f"index process ended with {process.returncode}")
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
