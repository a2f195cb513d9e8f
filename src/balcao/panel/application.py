"""The panel's resources in a process, its database and its migrations."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.resources import files
from urllib.parse import urlsplit

from balcao.core.access.refusals import Refusals
from balcao.core.database import migrations
from balcao.core.database.faults import StatementRefused
from balcao.core.database.migrations import Migration, find_migrations
from balcao.core.database.pool import Database
from balcao.core.database.refusals import explain_panel_refusal
from balcao.core.database.roles import PANEL_SCHEMA, RoleError
from balcao.core.errors import Unavailable
from balcao.core.http.assets import Assets
from balcao.panel.declaration import PREFIX, Area, Page
from balcao.panel.live import STREAM, Feed
from balcao.panel.templating import make_environment
from balcao.settings import Settings
from balcao.web.surface import Client, Surface
from balcao.web.words import Words

# The maximum number of connections of one process. A page needs a connection only briefly, to look up its session.
_CONNECTIONS = 4


class Panel(Surface):
    """The panel's resources in one process. They are opened when the process starts to serve.

    `refusals` counts page requests that have no session. `address` is the public address of the panel, without
    `/painel`.
    """

    def __init__(
        self, settings: Settings, database_url: str, areas: Sequence[Area], refusals: Refusals, address: str = ""
    ) -> None:
        super().__init__(
            "panel",
            prefix=PREFIX,
            cookie="painel",
            address=address or settings.panel_address,
            api_url=settings.panel_services_url,
            client=Client(
                settings.issuers[0], settings.panel_client_id, settings.panel_client_secret.get_secret_value()
            ),
            keys=settings.panel_keys,
            database=make_database(settings, database_url),
            refusals=refusals,
            traces_url=settings.traces_url,
            idle=timedelta(minutes=settings.panel_idle_minutes),
            longest=timedelta(hours=settings.panel_session_hours),
        )
        self.settings = settings
        self.areas = areas
        self.areas_by_key = {area.key: area for area in areas}
        self.feed = Feed(self.http, self.api_url + STREAM, self.provider, settings.panel_stream_client)
        self.words = Words(settings.zone)
        self.assets = Assets(files("balcao.panel") / "static", f"{PREFIX}/recursos")
        self.environment = make_environment(self.words, self.assets, settings.panel_city)
        self.environment.globals["trial_mailbox"] = settings.trial_mailbox_url
        self._pages = {(page.name, page.method): page for area in areas for page in area.pages.declared}
        self.uses = list_uses(areas)

    def find_page(self, name: str, method: str = "") -> Page:
        """Return the page with this name and method.

        Without a method, prefer GET. Raises KeyError if there is no such page.
        """
        if method:
            return self._pages[name, method]
        return self._pages.get((name, "GET")) or self._pages[name, "POST"]

    def has_page(self, name: str, method: str) -> bool:
        """Return whether a page with this name and method exists."""
        return (name, method) in self._pages

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open the panel's resources while the process serves.

        Raises RoleError if the panel's role cannot work in the database, and MigrationError if its schema is not up to
        date.
        """
        await open_panel_database(self.database, self.settings)
        async with super().open():
            try:
                yield
            finally:
                await self.feed.stop()


def list_uses(areas: Sequence[Area]) -> dict[str, list[str]]:
    """Return the labels of the pages that each action allows. Pages in the navigation come first."""
    found: dict[str, dict[str, None]] = {}
    for area in areas:
        for page in sorted(area.pages.declared, key=lambda page: not page.in_menu):
            for action in page.actions:
                found.setdefault(action, {})[page.label] = None
    return {action: list(labels) for action, labels in found.items()}


def list_migrations() -> list[Migration]:
    """Return the migrations of the panel's schema."""
    return find_migrations("panel", files("balcao.panel") / "migrations")


async def open_panel_database(database: Database, settings: Settings) -> None:
    """Open the panel's database and check its migrations.

    Raises RoleError if the panel's role cannot work in the database, MigrationError if the schema is not up to date,
    and Unavailable if the database is down.
    """
    try:
        await database.open()
        async with database.connection() as connection:
            await migrations.check_migrations(connection, list_migrations(), PANEL_SCHEMA)
    except (Unavailable, StatementRefused) as fault:
        role = settings.panel_database_role
        login = urlsplit(settings.panel_database_url or settings.database_url).username or role
        reason = explain_panel_refusal(fault, role, login)
        if reason is None:
            raise
        raise RoleError(reason) from fault


async def check_panel_database(settings: Settings, database_url: str) -> None:
    """Open and close the panel's database. Raises the same errors as `open_panel_database`."""
    database = make_database(settings, database_url)
    await open_panel_database(database, settings)
    await database.close()


def make_database(settings: Settings, database_url: str) -> Database:
    """Return the panel's database, which uses the panel's own role.

    That role has no access to the schemas of the services.
    """
    role = settings.panel_database_role
    login = role if settings.embedded_database and not settings.panel_database_url else None
    database = Database(settings.panel_database_url or database_url, size=_CONNECTIONS, role=role, login=login)
    database.is_serving = True
    return database
