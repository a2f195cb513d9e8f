"""The database that a command uses: the configured database, or the embedded database in the data folder.

The platform and its services are imported only when a database is used, so that help and usage errors are fast.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from balcao import sandbox
from balcao.core import logs
from balcao.core.errors import Unavailable
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings, remembered

if TYPE_CHECKING:
    from balcao.core.context.platform import Platform
    from balcao.core.database.roles import ApplicationRole


@contextmanager
def open_database(settings: Settings, *, create: bool = False) -> Iterator[str]:
    """Yield the database's address. Start an embedded server for the block if it is not running.

    Raises OperatorFault if the embedded database does not exist yet, unless `create` is set.
    """
    logs.configure("error")  # commands print to the terminal, so log only errors
    if not settings.embedded_database:
        yield settings.database_url
        return
    if not create and not (settings.data_dir / "postgres").exists():
        raise OperatorFault(
            f"Ainda não há dados em {settings.data_dir}: execute `balcao serve`, "
            "ou indique um banco em BALCAO_DATABASE_URL."
        )
    with sandbox.load(settings, "postgresql").start(settings.data_dir) as running:
        yield running.server.url


def find_embedded(settings: Settings) -> str | None:
    """Return the address of the data folder's embedded server.

    Return None in production, and if the server is not running.
    """
    if not settings.sandbox:
        return None
    server = sandbox.load(settings, "postgresql").find_running(settings.data_dir)
    return server and str(server.url)


def find_database(settings: Settings) -> str:
    """Return the address of the database, which must be running.

    Raises OperatorFault if the embedded database is configured and is not running.
    """
    if not settings.embedded_database:
        return settings.database_url
    url = find_embedded(settings)
    if url is None:
        raise OperatorFault(
            f"O PostgreSQL embutido em {settings.data_dir} não responde: inicie-o com `balcao serve`."
            f"{remembered.describe_places()}"
        )
    return url


def make_role(settings: Settings) -> "ApplicationRole":
    """Return the roles and logins to which migrations grant rights."""
    from balcao.core.database.roles import PANEL_SCHEMA, SITE_SCHEMA, ApplicationRole

    urls = {PANEL_SCHEMA: settings.panel_database_url, SITE_SCHEMA: settings.site_database_url}
    is_shared = settings.sandbox and not settings.embedded_database
    return ApplicationRole(
        settings.database_role,
        settings.database_login,
        settings.panel_database_role,
        settings.site_database_role,
        sharing_login=frozenset(schema for schema, url in urls.items() if is_shared and not url),
    )


async def require_owner(settings: Settings, url: str) -> str:
    """Check that the owner can log in to the database at `url`, and return the owner's address.

    Raises OperatorFault, with the name of the wrong setting, if the owner cannot log in.
    """
    from balcao.core.database.pool import Database
    from balcao.core.database.refusals import describe_refusal

    owner_url = settings.owner_url(url)
    database = Database(owner_url, size=2, role=None)
    try:
        await database.open()
    except Unavailable as fault:
        sentence = describe_refusal(fault) or str(fault)
        if settings.database_owner_url:
            sentence = sentence.replace("BALCAO_DATABASE_URL", "BALCAO_DATABASE_OWNER_URL")
        raise OperatorFault(sentence) from fault
    await database.close()
    return owner_url


async def refuse_demo_data(settings: Settings, owner_url: str) -> None:
    """Raise SettingsError in production if the database has demo data. Call this function before migrating."""
    from balcao import app
    from balcao.core.database.pool import Database

    database = Database(owner_url, size=2, role=None)
    await database.open()
    try:
        async with database.connection() as connection:
            await app.refuse_demo_data(connection, settings)
    finally:
        await database.close()


async def check_database(settings: Settings, url: str) -> None:
    """Raise MigrationError if the database is not up to date, and Unavailable if it cannot be reached.

    In production, first raise SettingsError if the database has demo data, because migrating it would be useless.
    """
    from balcao import app
    from balcao.core.context.platform import make_database
    from balcao.core.database import migrations

    database = make_database(settings, url)
    await database.open()
    try:
        async with database.connection() as connection:
            await app.refuse_demo_data(connection, settings)
            await migrations.check_migrations(connection, app.list_migrations())
    finally:
        await database.close()


@asynccontextmanager
async def open_platform(settings: Settings, url: str, *, bare: bool = False) -> AsyncIterator["Platform"]:
    """Open the platform for a command. Unless `bare` is set, open the resources of all services too."""
    from balcao import app
    from balcao.core.context.platform import assemble

    await check_database(settings, url)
    assembled = assemble(settings, url)
    async with app.open_services(assembled, () if bare else app.SERVICES):
        yield assembled
