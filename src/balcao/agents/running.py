"""What the service keeps in each process: configurations as ready answers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.agents.versions.ready import ReadyConfigs
from balcao.core.context.platform import Platform


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[None]:
    platform.parts[ReadyConfigs] = ReadyConfigs()
    yield
