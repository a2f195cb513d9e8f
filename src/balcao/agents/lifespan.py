"""What the service keeps in each process: configurations as ready responses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.agents.versions.cache import ConfigCache
from balcao.core.context.platform import Platform


@asynccontextmanager
async def run_agents(platform: Platform) -> AsyncIterator[None]:
    """Give the process its cache of configurations."""
    platform.parts[ConfigCache] = ConfigCache()
    yield
