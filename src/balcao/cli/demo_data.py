"""The demo data of all services: loaded once, and described for those who try the platform."""

from collections.abc import Callable
from typing import Any

from balcao import app
from balcao.cli.offer import Client, Offer, Person
from balcao.core.context.platform import Platform
from balcao.core.database import migrations
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Worker
from balcao.identity import demo
from balcao.operate import database
from balcao.settings import Settings

OWNER = migrations.DEMO
# Marked before anything is loaded, so that also a database with half of the demo's people is known for what it is.
BEGUN = "begun"


def show_no_progress(_: str) -> None:
    """Pass over what is being done."""


async def load_once(settings: Settings, url: str, progress: Callable[[str], None] = show_no_progress) -> None:
    """Load each service's data, unless they have been loaded; one that was interrupted is loaded again.

    What has been loaded is marked in the table of migrations, so the mark belongs to the database and not to a file.
    """
    async with database.open_platform(settings, url) as platform:
        await migrations.run_as_owner(
            platform.owner_url, _mark_begun, lambda connection: _load_missing(connection, platform, progress)
        )


async def _mark_begun(connection: Connection) -> None:
    if not await migrations.is_done(connection, OWNER, BEGUN):
        await migrations.mark_done(connection, OWNER, BEGUN)


async def _load_missing(connection: Connection, platform: Platform, progress: Callable[[str], None]) -> None:
    """Load what is missing, then run the jobs of all services once: starting a worker costs several connections."""
    missing = [s for s in app.SERVICES if s.demos and not await migrations.is_done(connection, OWNER, s.name)]
    if not missing:
        return
    progress("Carregando os dados de demonstração...")
    for service in missing:
        for demo_data in service.demos:
            await demo_data.load(platform)
    await Worker(platform.database, [kind for service in missing for kind in service.jobs], platform).drain()
    for service in missing:
        await migrations.mark_done(connection, OWNER, service.name)


async def fetch_offer(settings: Settings, url: str) -> Offer | None:
    """Return what the demo data offer; None when they have not been loaded into this database."""
    async with database.open_platform(settings, url) as platform:
        async with platform.database.connection() as connection:
            loaded = {name for name in app.NAMES if await migrations.is_done(connection, OWNER, name)}
        if not loaded:
            return None
        return Offer(
            app.list_base_urls(settings), _list_people(), _list_clients(), await _find_examples(platform, loaded)
        )


async def _find_examples(platform: Platform, loaded: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for service in app.SERVICES:
        if service.name in loaded:
            for demo_data in service.demos:
                found |= await demo_data.examples(platform)
    return found


def _list_people() -> list[Person]:
    return [Person(p.cpf, p.name, p.username, p.password, list(p.groups)) for p in demo.people()]


def _list_clients() -> list[Client]:
    return [Client(c.client_id, c.secret, list(c.scopes)) for c in demo.clients()]
