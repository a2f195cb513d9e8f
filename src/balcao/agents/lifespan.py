"""The service's state in each process: a cache of encoded configuration responses."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.agents.versions.cache import ConfigCache
from balcao.core.context.platform import Platform


@asynccontextmanager
async def run_agents(platform: Platform) -> AsyncIterator[None]:
    """Create the process's cache of configurations."""
    platform.parts[ConfigCache] = ConfigCache()
    yield
