"""The search index of this process. The first use opens the index and starts the task that keeps it current."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.core.telemetry import telemetry
from balcao.search.index.feeding import IndexFeeder
from balcao.search.index.folder import IndexFolder, IndexReader
from balcao.search.index.reader import ServiceIndex

# How long a search waits for the first index of the host.
FIRST_INDEX_SECONDS = 2.0
_POLL_SECONDS = 0.02


class PublicIndex:
    """The index of this process. A worker or a command that never searches neither opens nor writes an index."""

    def __init__(self, platform: Platform) -> None:
        folder = IndexFolder(platform.settings.data_dir, platform.owner_url)
        self._reader = IndexReader(folder)
        self._feeder = IndexFeeder(platform, folder)
        self._task: asyncio.Task[None] | None = None

    @property
    def is_ready(self) -> bool:
        """Whether there is an index. The first use also starts the task that keeps the index current."""
        self._start()
        return self._reader.read() is not None

    @property
    def version(self) -> tuple[int, ...]:
        """The id of the commit that the last `read` returned."""
        return self._reader.version

    @property
    def position(self) -> int:
        """The position of the newest change in the index, or -1 without an index."""
        index = self._reader.read()
        return -1 if index is None else index.read_state().position

    async def read(self) -> ServiceIndex:
        """Return the index with its newest commit. Raises Unavailable if there is no index after two seconds."""
        self._start()
        index = self._reader.read()
        if index is None:
            deadline = asyncio.get_running_loop().time() + FIRST_INDEX_SECONDS
            while (index := self._reader.read()) is None:
                if asyncio.get_running_loop().time() > deadline:
                    raise Unavailable(
                        "A busca ainda está sendo preparada. Tente de novo em instantes.", code="index-missing"
                    )
                await asyncio.sleep(_POLL_SECONDS)
        return index

    async def stop(self) -> None:
        """Stop writing the index."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _start(self) -> None:
        if self._task is None:
            self._task = asyncio.create_task(self._feeder.run())


@asynccontextmanager
async def keep_index(platform: Platform) -> AsyncIterator[None]:
    """Provide the index of this process for the duration of the block."""
    index = platform.parts[PublicIndex] = PublicIndex(platform)
    with telemetry.state("balcao_search_index_position", lambda: index.position):
        try:
            yield
        finally:
            await index.stop()


async def check_index(platform: Platform) -> Mapping[str, bool]:
    """Return whether the public search has an index."""
    return {"index": platform.part(PublicIndex).is_ready}
