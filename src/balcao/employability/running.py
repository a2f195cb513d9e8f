"""What the service keeps in each process: what it last heard of the registry's companies."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.core.outgoing import ServiceClient
from balcao.employability.companies.lookup import RegistryCompanies


@asynccontextmanager
async def running(platform: Platform) -> AsyncIterator[None]:
    """Give the process its client of the registry."""
    registry = ServiceClient(platform.http, platform.settings.registry_url, platform.settings)
    platform.parts[RegistryCompanies] = RegistryCompanies(registry)
    yield
