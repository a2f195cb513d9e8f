"""Waits until the search index contains every committed change, so that a test finds what it has written."""

import asyncpg

from balcao.search.index.folder import IndexFolder, IndexReader
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.polling import until, until_now

NEWEST = "SELECT coalesce(max(position), 0) AS newest FROM search.index_changes"


class Freshness:
    """Compares the index in a data folder with the database."""

    def __init__(self, settings: Settings, database_url: str) -> None:
        self._reader = IndexReader(IndexFolder(settings.data_dir, database_url))

    @property
    def position(self) -> int:
        index = self._reader.read()
        return -1 if index is None else index.read_state().position

    def wait(self, sql: Sql) -> None:
        """Wait until a process has indexed every committed change."""
        (row,) = sql(NEWEST)
        until_now(lambda: self.position >= row["newest"])

    async def wait_in_loop(self, owner: asyncpg.Connection) -> None:
        """Wait without blocking the event loop, because tasks in the loop may have to write the index."""
        newest = await owner.fetchval(NEWEST)
        await until(lambda: self.position >= newest)
