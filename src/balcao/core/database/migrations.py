"""Applies the SQL migrations of the platform and of every service, in order, once, under one lock."""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from balcao.core.database.pool import APPLICATION_ROLE, Connection

# Under this owner finished steps of loading the demo data are marked in the table of migrations.
DEMO = "demo"
LOCK_KEY = 0x62616C63616F  # "balcao"


@dataclass(frozen=True)
class Migration:
    """One file `NNNN_what.sql` of a service, the `owner`, or of the platform."""

    owner: str
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """Return what tells whether the file was changed after it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


class MigrationError(Exception):
    """The database does not fit the code; the text tells the operator what to do."""


def find_migrations(owner: str, folder: Traversable) -> list[Migration]:
    """Return the migrations in a folder, in the order of their numbers."""
    sources = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    return [Migration(owner, file.name, file.read_text("utf-8")) for file in sources]


def platform_migrations() -> list[Migration]:
    """Return the migrations of what every service shares."""
    return find_migrations("platform", files("balcao.core.database") / "sql")


Progress = Callable[[Migration], None]


def show_no_progress(_: Migration) -> None:
    """Show nothing."""


# A step as the owner, in a transaction or before the first one.
Step = Callable[[asyncpg.Connection], Awaitable[None]]


async def migrate(
    url: str, migrations: Sequence[Migration], progress: Progress = show_no_progress, *, before: Sequence[Step] = ()
) -> int:
    """Bring the database at `url` up to date and return how many migrations ran.

    The steps `before` create tables that migrations refer to and that a library defines, such as those of the queue.
    Raises MigrationError for a migration that was changed after it had been applied.
    """
    connection = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    try:
        async with _OnlyMigrator(connection):
            await connection.execute(_PREPARE)
            for step in before:
                await step(connection)
            return await _apply(connection, migrations, progress)
    finally:
        await connection.close()


class _OnlyMigrator:
    """A session lock: two migrators never run side by side, and that of a killed one is released by the server."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def __aenter__(self) -> None:
        await self._connection.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)

    async def __aexit__(self, *_: object) -> None:
        if not self._connection.is_closed():
            await self._connection.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)


async def run_as_owner(url: str, *steps: Step) -> None:
    """Run each step in a transaction of its own as the owner, under the migrators' lock."""
    connection = await asyncpg.connect(url, server_settings={"timezone": "UTC"})
    try:
        async with _OnlyMigrator(connection):
            for step in steps:
                async with connection.transaction():
                    await step(connection)
    finally:
        await connection.close()


async def _apply(connection: asyncpg.Connection, migrations: Sequence[Migration], progress: Progress) -> int:
    pending = _find_pending(await _fetch_applied(connection), migrations)
    for migration in pending:
        progress(migration)
        async with connection.transaction():
            await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, $3)",
                migration.owner,
                migration.name,
                migration.digest,
            )
    return len(pending)


# The role owns nothing: what it may do is what the migrations grant, so append-only tables stay append-only.
_PREPARE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{APPLICATION_ROLE}') THEN
        CREATE ROLE {APPLICATION_ROLE} NOLOGIN;
    END IF;
    EXECUTE format('GRANT {APPLICATION_ROLE} TO %I', current_user);
END $$;
CREATE SCHEMA IF NOT EXISTS platform;
GRANT USAGE ON SCHEMA platform TO {APPLICATION_ROLE};
CREATE TABLE IF NOT EXISTS platform.migration (
    owner      text NOT NULL,
    name       text NOT NULL,
    digest     text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
);
GRANT SELECT ON platform.migration TO {APPLICATION_ROLE};
"""


async def _fetch_applied(connection: Connection) -> dict[tuple[str, str], str]:
    rows = await connection.fetch("SELECT owner, name, digest FROM platform.migration")
    return {(row["owner"], row["name"]): row["digest"] for row in rows}


def _find_pending(applied: dict[tuple[str, str], str], migrations: Iterable[Migration]) -> list[Migration]:
    pending = []
    for migration in migrations:
        digest = applied.get((migration.owner, migration.name))
        if digest is None:
            pending.append(migration)
        elif digest != migration.digest:
            raise MigrationError(
                f"A migração {migration.owner}/{migration.name} foi alterada depois de aplicada: "
                "use a versão do programa que a aplicou ou crie uma migração nova."
            )
    return pending


async def is_done(connection: Connection, owner: str, name: str) -> bool:
    """Return whether a step that runs once per database, beside the migrations, has been marked as done."""
    found = await connection.fetchval("SELECT true FROM platform.migration WHERE owner = $1 AND name = $2", owner, name)
    return bool(found)


async def has_any_done(connection: Connection, owner: str) -> bool:
    """Return whether any step of this owner has been marked."""
    return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM platform.migration WHERE owner = $1)", owner))


async def mark_done(connection: Connection, owner: str, name: str) -> None:
    """Mark a step that runs once per database as done."""
    await connection.execute("INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, '')", owner, name)


async def check(connection: Connection, migrations: Sequence[Migration]) -> None:
    """Raise MigrationError unless every migration of this code has been applied."""
    try:
        pending = _find_pending(await _fetch_applied(connection), migrations)
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        pending = list(migrations)  # a database that was never migrated
    if pending:
        raise MigrationError(f"Faltam {len(pending)} migrações neste banco: execute `balcao migrate`.")


async def has_application_role(connection: Connection) -> bool:
    """Return whether the server has the role under which services open their connections."""
    found = await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", APPLICATION_ROLE)
    return bool(found)
