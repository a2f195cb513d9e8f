"""The service tickets of the sandbox's citizens."""

from balcao.core.context.platform import Platform
from balcao.core.imports import service as imports
from balcao.registry.person import invented
from balcao.registry.person.citizens.demo import CITIZENS
from balcao.registry.person.tickets.imports import IMPORTS


async def load(platform: Platform) -> None:
    await imports.load_rows(platform, IMPORTS[0], invented.tickets(CITIZENS))
