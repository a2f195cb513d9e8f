"""The resources that a process holds while it serves the panel."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from importlib.resources import files

from balcao.core.access.refusals import Refusals
from balcao.core.database.roles import PANEL_SCHEMA
from balcao.core.http.assets import Assets
from balcao.panel.declaration import PREFIX, Area, Page
from balcao.panel.live import STREAM, Feed
from balcao.panel.templating import make_environment
from balcao.settings import Settings
from balcao.web.database import SurfaceDatabase
from balcao.web.surface import Client, Surface
from balcao.web.words import Words


class Panel(Surface[Page]):
    """The panel's resources in one process. They are opened when the process starts to serve.

    `refusals` counts page requests that have no session. `address` is the public address of the panel, without
    `/painel`.
    """

    def __init__(
        self, settings: Settings, database_url: str, areas: Sequence[Area], refusals: Refusals, address: str = ""
    ) -> None:
        super().__init__(
            PANEL_SCHEMA,
            (page for area in areas for page in area.pages.declared),
            prefix=PREFIX,
            cookie="painel",
            address=address or settings.panel_address,
            api_url=settings.panel_services_url,
            client=Client(
                settings.issuers[0], settings.panel_client_id, settings.panel_client_secret.get_secret_value()
            ),
            keys=settings.panel_keys,
            database=describe_database(settings).connect(settings, database_url),
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
        self.uses = list_uses(areas)

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open the panel's resources while the process serves.

        Raises RoleError if the panel's role cannot use the database, and MigrationError if its schema is not up to
        date.
        """
        await describe_database(self.settings).open(self.database, self.settings)
        async with super().open():
            try:
                yield
            finally:
                await self.feed.stop()


def list_uses(areas: Sequence[Area]) -> dict[str, list[str]]:
    """Map each action to the labels of the pages that it allows. Pages in the navigation come first."""
    found: dict[str, dict[str, None]] = {}
    for area in areas:
        for page in sorted(area.pages.declared, key=lambda page: not page.in_menu):
            for action in page.actions:
                found.setdefault(action, {})[page.label] = None
    return {action: list(labels) for action, labels in found.items()}


def describe_database(settings: Settings) -> SurfaceDatabase:
    """Describe the panel's database: its schema, address, role and setting names."""
    return SurfaceDatabase(
        PANEL_SCHEMA, "painel", settings.panel_database_url, settings.panel_database_role, "BALCAO_PANEL"
    )
