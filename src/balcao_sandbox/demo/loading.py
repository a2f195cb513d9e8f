"""Loads the demo data for all services once, and describes the data for users of the trial."""

from collections.abc import Callable
from typing import Any

from balcao import app
from balcao.core.context.platform import Platform, make_database
from balcao.core.database import migrations
from balcao.core.database.pool import Connection
from balcao.core.jobs.worker import Worker
from balcao.operate import database
from balcao.settings import Settings
from balcao_sandbox.demo.offer import Client, Offer, Person
from balcao_sandbox.demo.services import DEMOS
from balcao_sandbox.identity.demo import clients, people

OWNER = migrations.DEMO
# This entry is recorded before any data is loaded, so that a partly loaded database can be recognised.
BEGUN = "begun"


def show_no_progress(_: str) -> None:
    """Ignore progress messages."""


async def load_once(settings: Settings, url: str, progress: Callable[[str], None] = show_no_progress) -> None:
    """Load the demo data for each service, unless it was loaded before. An interrupted load is repeated.

    The migrations table records for which services the data was loaded. Unlike a file, it cannot be separated from the
    database.
    """
    if await _is_loaded(settings, url):
        return
    async with database.open_platform(settings, url) as platform:
        await migrations.run_as_owner(
            platform.owner_url, _mark_begun, lambda connection: _load_missing(connection, platform, progress)
        )


async def _is_loaded(settings: Settings, url: str) -> bool:
    """Return whether the demo data for all services is loaded. This does not open the platform."""
    own = make_database(settings, url)
    await own.open()
    try:
        async with own.connection() as connection:
            has_any = await migrations.has_any_done(connection, OWNER)
            return has_any and await _list_loaded(connection) >= DEMOS.keys()
    finally:
        await own.close()


async def _list_loaded(connection: Connection) -> set[str]:
    return {name for name in DEMOS if await migrations.is_done(connection, OWNER, name)}


async def _mark_begun(connection: Connection) -> None:
    if not await migrations.is_done(connection, OWNER, BEGUN):
        await migrations.mark_done(connection, OWNER, BEGUN)


async def _load_missing(connection: Connection, platform: Platform, progress: Callable[[str], None]) -> None:
    """Load the missing data, then run the jobs that loading has enqueued.

    A single worker runs all jobs, because starting a worker costs several connections.
    """
    missing = [s for s in app.SERVICES if s.name in DEMOS and not await migrations.is_done(connection, OWNER, s.name)]
    if not missing:
        return
    progress("Carregando os dados de demonstração...")
    for service in missing:
        for demo in DEMOS[service.name]:
            await demo.load(platform)
    await Worker(platform.database, [kind for service in missing for kind in service.jobs], platform).drain()
    for service in missing:
        await migrations.mark_done(connection, OWNER, service.name)


async def fetch_offer(settings: Settings, url: str) -> Offer | None:
    """Return a description of the demo data, or None if the database contains no demo data."""
    async with database.open_platform(settings, url, bare=True) as platform:
        async with platform.database.connection() as connection:
            loaded = await _list_loaded(connection)
        if not loaded:
            return None
        return Offer(
            app.list_base_urls(settings),
            [Person(p.cpf, p.name, p.username, p.password, list(p.groups)) for p in people()],
            [Client(c.client_id, c.secret, list(c.scopes)) for c in clients()],
            await _find_examples(platform, loaded),
        )


async def _find_examples(platform: Platform, loaded: set[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, demos in DEMOS.items():
        if name in loaded:
            for demo in demos:
                found |= await demo.examples(platform)
    return found
