"""The database of a surface: a separate schema that only the surface's own role can use."""

from importlib.resources import files
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from balcao.core.database import migrations
from balcao.core.database.faults import StatementRefused
from balcao.core.database.migrations import Migration, find_migrations
from balcao.core.database.pool import Database
from balcao.core.database.refusals import explain_surface_refusal
from balcao.core.database.roles import PANEL_SCHEMA, SITE_SCHEMA, RoleError
from balcao.core.errors import Unavailable
from balcao.settings import Settings

# Each surface stores its sessions in its own schema, which only its database role can use.
SCHEMAS = (PANEL_SCHEMA, SITE_SCHEMA)
# Each process opens at most this many connections. A page needs one only briefly, to look up its session.
_CONNECTIONS = 4


class SurfaceDatabase(NamedTuple):
    """How a surface reaches its database.

    `schema` is also the name of the surface's package. `url` is empty if the surface uses the services' database
    address.
    """

    schema: str
    title: str
    url: str
    role: str
    switch: str

    def connect(self, settings: Settings, database_url: str) -> Database:
        """Return the surface's database. Its role has no access to the schemas of the services."""
        login = self.role if settings.embedded_database and not self.url else None
        database = Database(self.url or database_url, size=_CONNECTIONS, role=self.role, login=login)
        database.is_serving = True
        return database

    async def open(self, database: Database, settings: Settings) -> None:
        """Open the surface's database and check its migrations.

        Raises RoleError if the role cannot use the database, MigrationError if the schema is not up to date, and
        Unavailable if the database is down.
        """
        try:
            await database.open()
            async with database.connection() as connection:
                await migrations.check_migrations(connection, list_migrations(self.schema), self.schema)
        except (Unavailable, StatementRefused) as fault:
            login = unquote(urlsplit(self.url or settings.database_url).username or "") or self.role
            reason = explain_surface_refusal(fault, self.title, self.role, login, self.switch)
            if reason is None:
                raise
            raise RoleError(reason) from fault

    async def check(self, settings: Settings, database_url: str) -> None:
        """Open and close the surface's database. Raises the same errors as `open`."""
        database = self.connect(settings, database_url)
        await self.open(database, settings)
        await database.close()


def list_migrations(schema: str) -> list[Migration]:
    """Return the migrations for a surface's schema."""
    return find_migrations(schema, files(f"balcao.{schema}") / "migrations")
