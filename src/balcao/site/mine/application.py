"""The resources that a process holds for Minha página: sessions, client at the provider, and database."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta

from jinja2 import Environment

from balcao.core.access.refusals import Refusals
from balcao.core.database.roles import SITE_SCHEMA
from balcao.settings import Settings
from balcao.site.application import Site
from balcao.site.mine.declaration import PREFIX, Page, Pages
from balcao.web import guard
from balcao.web.database import SurfaceDatabase
from balcao.web.surface import Client, Surface

# Typed text is stored for this long, so that the person can continue later.
_DRAFTS_KEPT = timedelta(days=7)


class MyPages(Surface[Page]):
    """The resources for the pages of logged-in citizens. They are opened when the process starts to serve."""

    def __init__(
        self, settings: Settings, database_url: str, parts: Sequence[Pages], refusals: Refusals, site: Site
    ) -> None:
        issuer = settings.issuers[0]
        super().__init__(
            SITE_SCHEMA,
            (page for part in parts for page in part.declared),
            prefix=PREFIX,
            cookie="site",
            address=site.address,
            api_url=settings.site_services_url,
            client=Client(issuer, settings.site_client_id, settings.site_client_secret.get_secret_value()),
            keys=settings.site_keys,
            database=describe_database(settings).connect(settings, database_url),
            refusals=refusals,
            traces_url=settings.traces_url,
            idle=timedelta(minutes=settings.site_idle_minutes),
            longest=timedelta(hours=settings.site_session_hours),
            drafts_kept=_DRAFTS_KEPT,
        )
        self.settings = settings
        self.site = site
        self.headers = guard.make_headers(issuer, is_secure=self.is_secure, scripts=False)

    @property
    def environment(self) -> Environment:  # type: ignore[override] # no code of a surface sets it
        """Return the site's template environment, which is replaced when the city changes its files."""
        return self.site.environment

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open the resources while the process serves.

        Raises RoleError if the site's role cannot use the database, and MigrationError if its schema is not up to date.
        """
        await describe_database(self.settings).open(self.database, self.settings)
        async with super().open():
            yield


def describe_database(settings: Settings) -> SurfaceDatabase:
    """Describe the site's database: its schema, address, role and setting names."""
    return SurfaceDatabase(
        SITE_SCHEMA, "site", settings.site_database_url, settings.site_database_role, "BALCAO_SITE_LOGIN"
    )
