"""The demo data of all services: loaded once, and described to who wants to try the platform."""

from typing import Any

from balcao import app
from balcao.cli import database
from balcao.cli.offer import Client, Offer, Person
from balcao.core.context.platform import Platform
from balcao.core.database import migrations
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Worker
from balcao.identity import demo
from balcao.settings import Settings

# Whose steps the marks beside the migrations are.
OWNER = "demo"


async def load_once(settings: Settings, url: str) -> None:
    """Load each service's data, unless they have been loaded; a load that was cut short is done again.

    The mark is kept beside the migrations: it comes and goes with the database, not with a file.
    """
    async with database.platform(settings, url) as platform:
        await migrations.run_as_owner(url, lambda connection: _load_missing(connection, platform))


async def _load_missing(connection: Connection, platform: Platform) -> None:
    """The jobs of all services are run at the end, once: a worker costs a handful of connections to start."""
    missing = [s for s in app.SERVICES if s.demos and not await migrations.is_done(connection, OWNER, s.name)]
    if not missing:
        return
    for service in missing:
        for one in service.demos:
            await one.load(platform)
    await Worker(platform.database, [kind for service in missing for kind in service.jobs], platform).drain()
    for service in missing:
        await migrations.mark_done(connection, OWNER, service.name)


async def offer(settings: Settings, url: str) -> Offer | None:
    """None when the demo data have not been loaded into this database."""
    async with database.platform(settings, url) as platform:
        async with platform.database.connection() as connection:
            loaded = {name for name in app.NAMES if await migrations.is_done(connection, OWNER, name)}
        if not loaded:
            return None
        return Offer(base_urls(settings), _people(), _clients(), await _examples(platform, loaded))


async def _examples(platform: Platform, loaded: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for service in app.SERVICES:
        if service.name in loaded:
            for one in service.demos:
                found |= await one.examples(platform)
    return found


def base_urls(settings: Settings) -> dict[str, str]:
    return {service.name: settings.base_url + service.prefix + service.base for service in app.SERVICES}


def _people() -> list[Person]:
    return [Person(p.cpf, p.name, p.username, p.password, list(p.groups)) for p in demo.people()]


def _clients() -> list[Client]:
    return [Client(c.client_id, c.secret, list(c.scopes)) for c in demo.clients()]
