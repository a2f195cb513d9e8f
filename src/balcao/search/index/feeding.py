"""Keep the index of this host current: one process builds it and follows the changes of the catalogue.

The first process that locks the folder is the writer. If it dies, the kernel frees the lock and another process takes
over. A change reaches the index through a notification, or with the next comparison if the notification is lost.
"""

import asyncio
import functools
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import msgspec

from balcao.core.context.platform import Platform
from balcao.core.database.reloader import Watch
from balcao.core.logs import log
from balcao.search.collection.store import read_alias
from balcao.search.index import building, store
from balcao.search.index.folder import IndexFolder, IndexReader
from balcao.search.index.reader import IndexState, ServiceIndex
from balcao.search.index.writer import IndexWriter

T = TypeVar("T")

CHANNEL = "balcao_search"
# How often the index is compared with the catalogue, in case a notification is lost.
COMPARE_SECONDS = 30.0
# How often a process tries to become the writer. A change must be searchable within a second, even if the writer dies.
CLAIM_SECONDS = 0.1
# How long the writer waits after a failure.
RETRY_SECONDS = 0.5
# The pause after a commit. Each commit adds a segment, and a search takes longer in an index of many segments. A change
# must be searchable within a second.
COMMIT_SECONDS = 0.1
# The maximum number of changes in one commit. A larger commit would delay the first change.
MOST_CHANGES = 200


class IndexFeeder:
    """The writer of the host's index, or a process that waits to become the writer."""

    def __init__(self, platform: Platform, folder: IndexFolder) -> None:
        self._platform = platform
        self._folder = folder
        self._reader = IndexReader(folder)
        self._writer: IndexWriter | None = None
        self._state: IndexState | None = None
        self._build: asyncio.Task[None] | None = None
        self._compared_at = 0.0
        # Only one task changes the folder at a time, because a finished build replaces the writer.
        self._writing = asyncio.Lock()
        # A single thread, so that closing the writer waits for a change that still runs after its task was cancelled.
        self._thread = ThreadPoolExecutor(1, "search-index")

    async def run(self) -> None:
        """Write the index while this process has the lock. Runs until it is cancelled."""
        while True:
            pause = CLAIM_SECONDS
            try:
                with self._folder.claim() as is_writer:
                    if is_writer:
                        await self._follow()
            except Exception as failure:
                log.warning("search.index_not_written", code=type(failure).__name__, detail=str(failure)[:200])
                pause = RETRY_SECONDS
            await asyncio.sleep(pause)

    async def _in_thread(self, work: Callable[..., T], *values: object) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *values)

    async def _follow(self) -> None:
        """Follow the changes until this task is cancelled or the index cannot be written."""
        await self._open()
        failed = asyncio.get_running_loop().create_future()
        watch = Watch(
            self._platform.database, CHANNEL, COMPARE_SECONDS, functools.partial(self._catch_up_or_fail, failed)
        )
        try:
            await watch.start()
            await failed
        finally:
            await watch.stop()
            await self._close()

    async def _catch_up_or_fail(self, failed: "asyncio.Future[None]") -> None:
        former = self._state
        try:
            await self._catch_up()
        except (ValueError, OSError) as failure:  # a full disk or a damaged index; errors of the database are retried
            if not failed.done():
                failed.set_exception(failure)
        if self._state is not former:
            await asyncio.sleep(COMMIT_SECONDS)

    async def _open(self) -> None:
        """Continue with the current generation if it exists and can be read."""
        current = self._folder.find_current()
        if current is None:
            return
        try:
            self._state = await self._in_thread(lambda: ServiceIndex.open(current).read_state())
            self._writer = await self._in_thread(IndexWriter, current)
        except (ValueError, OSError, LookupError):
            log.warning("search.index_damaged", detail=current.name)
            self._state = self._writer = None

    async def _close(self) -> None:
        if self._build is not None:
            self._build.cancel()
            await asyncio.gather(self._build, return_exceptions=True)
        writer, self._writer, self._state = self._writer, None, None
        if writer is not None:
            try:
                await self._in_thread(writer.close)
            except Exception as failure:  # must not replace the exception that ends this writer
                log.warning("search.index_not_closed", code=type(failure).__name__)

    async def _catch_up(self) -> None:
        async with self._writing:
            async with self._platform.database.connection() as connection:
                wanted = await store.read_wanted_state(connection)
            if self._state is None or self._is_other_catalogue(self._state, wanted):
                self._start_build()
            if self._writer is not None and self._state is not None and self._state.position < wanted.position:
                self._state = await self._apply_changes(self._writer, self._state)
            if time.monotonic() - self._compared_at > COMPARE_SECONDS and self._build is None:
                self._compared_at = time.monotonic()
                await self._compare()
                await self._in_thread(self._folder.remove_former)

    def _is_other_catalogue(self, state: IndexState, wanted: IndexState) -> bool:
        """Return whether the index must be rebuilt, because the changes do not lead from `state` to `wanted`."""
        if state.generation != wanted.generation or state.popularity != wanted.popularity:
            return True
        # After the database was restored, its newest change may be older, or may be another change at the same
        # position.
        return state.position > wanted.position or (state.position == wanted.position and state.newest != wanted.newest)

    async def _compare(self) -> None:
        """Rebuild the index if its number of services differs from that of the catalogue."""
        index = self._reader.read()
        async with self._platform.database.transaction(isolation="repeatable_read") as connection:
            wanted = await store.read_wanted_state(connection)
            count = await store.count_indexed(connection, await read_alias(connection))
        if index is not None and index.read_state() == wanted and index.count() != count:
            log.warning("search.index_differs", indexed=index.count(), services=count)
            self._start_build()

    async def _apply_changes(self, writer: IndexWriter, state: IndexState) -> IndexState:
        """Write all changes since `state`, and return the new state."""
        while True:
            async with self._platform.database.transaction(isolation="repeatable_read") as connection:
                alias = await read_alias(connection)
                newest = await store.read_wanted_state(connection)
                changes = await store.list_index_changes(connection, alias, state.position, MOST_CHANGES)
            if not changes:
                return state
            is_last = changes[-1].position == newest.position
            reached = msgspec.structs.replace(
                state, position=changes[-1].position, newest=newest.newest if is_last else ""
            )
            await self._in_thread(writer.apply, changes, reached)
            if is_last:
                return reached
            state = reached

    def _start_build(self) -> None:
        if self._build is None:
            self._build = asyncio.create_task(self._rebuild())
            self._build.add_done_callback(self._end_build)

    def _end_build(self, _: "asyncio.Task[None]") -> None:
        self._build = None

    async def _rebuild(self) -> None:
        """Build a new generation next to the current one and switch to it. Retry until this succeeds."""
        while True:
            generation = await self._in_thread(self._folder.make_generation)
            try:
                await self._build_generation(generation)
                return
            except BaseException as failure:
                await asyncio.shield(self._in_thread(self._folder.discard, generation))
                if isinstance(failure, asyncio.CancelledError):
                    raise
                log.warning("search.index_not_built", code=type(failure).__name__, detail=str(failure)[:200])
            await asyncio.sleep(RETRY_SECONDS)

    async def _build_generation(self, generation: Path) -> None:
        """Index the whole catalogue, apply the changes since then, and let readers use the new generation."""
        started = time.monotonic()
        state = await building.build(self._platform.database, generation)
        async with self._writing:
            writer = await self._in_thread(IndexWriter, generation)
            try:
                state = await self._apply_changes(writer, state)
                await self._in_thread(self._folder.publish, generation)
            except BaseException:
                await asyncio.shield(self._in_thread(writer.close))
                raise
            former, self._writer, self._state = self._writer, writer, state
        if former is not None:
            await self._in_thread(former.close)
        log.info("search.index_built", seconds=round(time.monotonic() - started, 1))
