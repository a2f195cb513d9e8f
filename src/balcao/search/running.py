"""What the search opens in each process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.search.legacy_mappings import service as legacy_mappings


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[None]:
    """Enter the old systems that the configuration names."""
    await legacy_mappings.enter_sources(platform)
    yield
