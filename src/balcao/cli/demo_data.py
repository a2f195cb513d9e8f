"""The demo data of all services: loaded once, and described to who wants to try the platform."""

from typing import Any

from balcao import app
from balcao.cli import database
from balcao.cli.offer import Client, Offer, Person
from balcao.core.context.platform import Platform
from balcao.core.database import migrations
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Worker
from balcao.core.service import Service
from balcao.identity import demo
from balcao.settings import Settings

# Whose steps the marks beside the migrations are.
OWNER = "demo"


async def load_once(settings: Settings, url: str) -> None:
    """Each service's data, unless they have been loaded; a load that was cut short is done again.

    The mark is kept beside the migrations: it comes and goes with the database, not with a file.
    """
    async with database.platform(settings, url) as platform:
        await migrations.with_owner(url, *(_loading(service, platform) for service in app.SERVICES if service.demos))


def _loading(service: Service, platform: Platform) -> Any:
    async def step(connection: Connection) -> None:
        if await migrations.was_done(connection, OWNER, service.name):
            return
        for one in service.demos:
            await one.load(platform)
        await Worker(platform.database, service.jobs, platform).drain()
        await migrations.mark_done(connection, OWNER, service.name)

    return step


async def offer(settings: Settings, url: str) -> Offer | None:
    """None when the demo data have not been loaded into this database."""
    async with database.platform(settings, url) as platform:
        async with platform.database.connection() as connection:
            loaded = {name for name in app.NAMES if await migrations.was_done(connection, OWNER, name)}
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
