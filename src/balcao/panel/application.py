"""What a process holds for the panel, and the panel as a part of what the process serves."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.resources import files
from urllib.parse import urlsplit

import httpx

from balcao.core.access.refusals import Refusals
from balcao.core.database import migrations
from balcao.core.database.faults import StatementRefused
from balcao.core.database.migrations import Migration, find_migrations
from balcao.core.database.pool import Database
from balcao.core.database.refusals import explain_panel_refusal
from balcao.core.database.roles import PANEL_SCHEMA, RoleError
from balcao.core.errors import BalcaoError, Unavailable
from balcao.core.http.assets import Assets
from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.core.tracing import make_http_client
from balcao.panel import guard
from balcao.panel.api import Api
from balcao.panel.background import Background
from balcao.panel.declaration import PREFIX, Area, Page
from balcao.panel.live import STREAM, Feed
from balcao.panel.page_limiter import PageLimiter
from balcao.panel.provider import Provider
from balcao.panel.sealing import Sealer
from balcao.panel.sessions.service import Sessions
from balcao.panel.templating import make_environment
from balcao.panel.words import Words
from balcao.settings import Settings

# Of a process: a page needs one for a moment, to look up its session.
_CONNECTIONS = 4
_SWEEP_SECONDS = 600.0
_CALLS_AT_ONCE = httpx.Limits(max_connections=200, max_keepalive_connections=50)


class Panel:
    """What a process holds for the panel; it is opened when the process starts to serve.

    `refusals` counts pages without a session. `address` is where people reach the panel, without `/painel`.
    """

    def __init__(
        self, settings: Settings, database_url: str, areas: Sequence[Area], refusals: Refusals, address: str = ""
    ) -> None:
        self.settings = settings
        self.refusals = refusals
        self.areas = areas
        self.areas_by_key = {area.key: area for area in areas}
        self.address = address or settings.panel_address
        self.api_url = settings.panel_services_url
        self.is_secure = self.address.startswith("https://")
        self.headers = guard.make_headers(settings.issuers[0], is_secure=self.is_secure)
        self.database = make_database(settings, database_url)
        self.http = make_http_client(settings.traces_url, limits=_CALLS_AT_ONCE, follow_redirects=False)
        self.sealer = Sealer(settings.panel_keys)
        self.provider = Provider(
            settings.issuers[0],
            settings.panel_client_id,
            settings.panel_client_secret.get_secret_value(),
            self.http,
        )
        self.sessions = Sessions(
            self.database,
            self.sealer,
            self.provider,
            idle=timedelta(minutes=settings.panel_idle_minutes),
            longest=timedelta(hours=settings.panel_session_hours),
        )
        self.feed = Feed(self.http, self.api_url + STREAM, self.provider, settings.panel_stream_client)
        self.words = Words(settings.zone)
        self.background = Background()
        self.page_limiter = PageLimiter()
        self.assets = Assets(files("balcao.panel") / "static", f"{PREFIX}/recursos")
        self.environment = make_environment(self.words, self.assets, settings.panel_city)
        self.environment.globals["trial_mailbox"] = settings.trial_mailbox_url
        self._pages = {(page.name, page.method): page for area in areas for page in area.pages.declared}
        self.uses = list_uses(areas)

    @property
    def origin(self) -> str:
        """Return the origin that forms of ours come from."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def call_as(self, token: str, request_id: str, peer: str) -> Api:
        """Return the services as who holds the access token calls them; `peer` is the address of their browser."""
        return Api(self.http, self.api_url, token, request_id, peer)

    def name_cookie(self, name: str) -> str:
        """Return a cookie's name, which a browser takes from this host alone, over TLS.

        Without TLS, on one's own machine, that would not be taken at all; there the port tells two platforms apart.
        """
        if self.is_secure:
            return f"__Host-{name}"
        return f"{name}-{urlsplit(self.address).port or 80}"

    def find_page(self, name: str, method: str = "") -> Page:
        """Return the page of this name, that of the method where it has several. Raises KeyError."""
        if method:
            return self._pages[name, method]
        return self._pages.get((name, "GET")) or self._pages[name, "POST"]

    def has_page(self, name: str, method: str) -> bool:
        """Return whether the page of this name has the method."""
        return (name, method) in self._pages

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open what pages need, for as long as the process serves.

        Raises RoleError where the panel cannot work in the database, MigrationError where its schema is not up to date.
        """
        await open_panel_database(self.database, self.settings)
        self.provider.start()
        try:
            async with repeating(self._delete_old_sessions, _SWEEP_SECONDS):
                yield
        finally:
            await self.background.stop()
            await self.feed.stop()
            self.provider.stop()
            await self.http.aclose()
            await self.database.close()

    async def _delete_old_sessions(self) -> None:
        try:
            await self.sessions.delete_old()
        except BalcaoError as fault:  # it is tried again at the next turn
            log.warning("panel.not_swept", code=fault.code)


def list_uses(areas: Sequence[Area]) -> dict[str, list[str]]:
    """Return by action the labels of the pages and deeds that it shows, those of the navigation first."""
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
    """Open the panel's way to the database. Raises RoleError, MigrationError and Unavailable."""
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
    """Open the panel's way to the database, and close it. Raises as opening does."""
    database = make_database(settings, database_url)
    await open_panel_database(database, settings)
    await database.close()


def make_database(settings: Settings, database_url: str) -> Database:
    """Return the panel's way to the database, under its own role, which sees no service's schema."""
    role = settings.panel_database_role
    login = role if settings.embedded_database and not settings.panel_database_url else None
    database = Database(settings.panel_database_url or database_url, size=_CONNECTIONS, role=role, login=login)
    database.is_serving = True
    return database
