"""Apply the SQL migrations of the platform and of all services in order, while holding one lock.

A numbered migration runs once. A file of functions and triggers runs again whenever its text has changed.
"""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

import asyncpg

from balcao.core.database import roles, servers
from balcao.core.database.pool import Connection
from balcao.core.database.roles import ApplicationRole

# The owner under which the migration table records which steps of loading the demo data are done.
DEMO = "demo"
LOCK_KEY = 0x62616C63616F  # "balcao"
_FUNCTIONS = "functions/"
# The first migration of every database that a version before 1.0 created.
_BEFORE_BASELINE = ("platform", "0001_audit.sql")


class MigrationError(Exception):
    """The database does not match the code. The message is an instruction to the operator."""


@dataclass(frozen=True)
class Migration:
    """A migration: one file `NNNN_what.sql` or `functions/what.sql`. `owner` is a service or `platform`."""

    owner: str
    name: str
    sql: str

    @property
    def is_repeatable(self) -> bool:
        """Return whether the file runs again when its text changes. It then replaces functions and triggers."""
        return self.name.startswith(_FUNCTIONS)

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the file, including comments.

        It reveals that a file was changed after it was applied.
        """
        return hashlib.sha256(self.sql.encode()).hexdigest()


def find_migrations(owner: str, folder: Traversable) -> list[Migration]:
    """Return the numbered migrations in a folder, then its functions, which use the tables of the migrations."""
    return [
        Migration(owner, prefix + file.name, file.read_text("utf-8"))
        for prefix, place in (("", folder), (_FUNCTIONS, folder / _FUNCTIONS))
        if place.is_dir()
        for file in sorted(place.iterdir(), key=lambda file: file.name)
        if file.name.endswith(".sql")
    ]


def platform_migrations() -> list[Migration]:
    """Return the migrations of the tables that all services share."""
    return find_migrations("platform", files("balcao.core.database") / "sql")


Progress = Callable[[Migration], None]


def show_no_progress(_: Migration) -> None:
    """Show nothing."""


# A step of a migration, as a function. It runs as the owner of the tables, in its own transaction.
Step = Callable[[asyncpg.Connection], Awaitable[None]]
# A step that runs before the first migration. It creates tables and grants the application role rights to them.
FirstStep = Callable[[asyncpg.Connection, ApplicationRole], Awaitable[None]]


async def migrate(
    url: str,
    migrations: Sequence[Migration],
    role: ApplicationRole,
    progress: Progress = show_no_progress,
    *,
    before: Sequence[FirstStep] = (),
) -> int:
    """Migrate the database at `url` and return how many migrations ran.

    The steps in `before` create the tables of libraries, such as those of the job queue, to which migrations refer.

    Raises:
        MigrationError: if the encoding is wrong, the database is newer, or an applied migration has changed.
        RoleError: if the application role cannot be created, or the database was prepared for another role.
    """
    connection = await servers.connect_to_server(url, server_settings={"timezone": "UTC"})
    try:
        check_encoding(connection)
        async with _OnlyMigrator(connection):
            await roles.check_unchanged(connection, role)
            await roles.prepare_role(connection, role)
            await connection.execute(role.grant_to(_PREPARE))
            for step in before:
                await step(connection, role)
            ran = await _apply(connection, migrations, role, progress)
            owners = {migration.owner for migration in migrations}
            for schema in role.surfaces:
                if schema in owners:
                    await roles.prepare_surface(connection, role, schema)
            return ran
    finally:
        await connection.close()


def check_encoding(connection: Connection) -> None:
    """Raise MigrationError if the database cannot store every text. Its encoding cannot be changed later."""
    encoding = connection.get_settings().server_encoding
    if encoding != "UTF8":
        raise MigrationError(
            f"O banco usa a codificação {encoding}, e o Balcão precisa de UTF8. A codificação de um banco não muda: "
            "crie outro, com `CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0`, como em database/roles.sql."
        )


class _OnlyMigrator:
    """A session-level advisory lock, so that only one process migrates at a time.

    The server releases the lock if that process is killed.
    """

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection

    async def __aenter__(self) -> None:
        await self._connection.execute("SELECT pg_advisory_lock($1)", LOCK_KEY)

    async def __aexit__(self, *_: object) -> None:
        if not self._connection.is_closed():
            await self._connection.execute("SELECT pg_advisory_unlock($1)", LOCK_KEY)


async def run_as_owner(url: str, *steps: Step) -> None:
    """Run each step as the owner, in its own transaction, while holding the migration lock."""
    connection = await servers.connect_to_server(url, server_settings={"timezone": "UTC"})
    try:
        async with _OnlyMigrator(connection):
            for step in steps:
                async with connection.transaction():
                    await step(connection)
    finally:
        await connection.close()


async def _apply(
    connection: asyncpg.Connection, migrations: Sequence[Migration], role: ApplicationRole, progress: Progress
) -> int:
    pending = _find_pending(await _fetch_applied(connection), migrations)
    for migration in pending:
        progress(migration)
        async with connection.transaction():
            await connection.execute(role.grant_to(migration.sql))
            await connection.execute(
                "INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, $3) "
                "ON CONFLICT (owner, name) DO UPDATE SET digest = EXCLUDED.digest, applied_at = now()",
                migration.owner,
                migration.name,
                migration.digest,
            )
    return len(pending)


# The role owns nothing and has only the rights that migrations grant, so that it cannot change append-only tables.
_PREPARE = """
DO $$ BEGIN
    IF NOT has_database_privilege('balcao_app', current_database(), 'CONNECT') THEN
        EXECUTE format('GRANT CONNECT ON DATABASE %I TO balcao_app', current_database());
    END IF;
END $$;
CREATE SCHEMA IF NOT EXISTS platform;
GRANT USAGE ON SCHEMA platform TO balcao_app;
CREATE TABLE IF NOT EXISTS platform.migration (
    owner      text NOT NULL,
    name       text NOT NULL,
    digest     text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
);
GRANT SELECT ON platform.migration TO balcao_app;
"""


async def _fetch_applied(connection: Connection, schema: str = "platform") -> dict[tuple[str, str], str]:
    rows = await connection.fetch(f"SELECT owner, name, digest FROM {schema}.migration")  # noqa: S608 - a name of ours
    return {(row["owner"], row["name"]): row["digest"] for row in rows}


def _find_pending(applied: dict[tuple[str, str], str], migrations: Sequence[Migration]) -> list[Migration]:
    """Return the migrations to apply.

    Raises MigrationError if the database is older than 1.0 or newer than this code, or if a migration has changed.
    """
    if _BEFORE_BASELINE in applied:
        raise MigrationError(
            "Uma versão anterior à 1.0 criou este banco, e ele não pode ser atualizado: use um banco novo (no "
            "experimento, apague a pasta de dados)."
        )
    known = {(migration.owner, migration.name) for migration in migrations}
    # The table also records one-time steps (`mark_done`). Only migrations have names that end in `.sql`. A later
    # version may have dropped a function, so an unknown file of functions does not mean that the database is newer.
    unknown = (key for key in applied.keys() - known if key[1].endswith(".sql") and not key[1].startswith(_FUNCTIONS))
    if newer := sorted(unknown):
        raise MigrationError(
            f"Uma versão mais nova do programa já preparou este banco (migração {'/'.join(newer[-1])}): instale essa "
            "versão, ou restaure uma cópia do banco feita antes dela."
        )
    pending = []
    for migration in migrations:
        digest = applied.get((migration.owner, migration.name))
        if digest is None or (migration.is_repeatable and digest != migration.digest):
            pending.append(migration)
        elif digest != migration.digest:
            raise MigrationError(
                f"A migração {migration.owner}/{migration.name} foi alterada depois de aplicada: "
                "use a versão do programa que a aplicou ou crie uma migração nova."
            )
    return pending


async def is_done(connection: Connection, owner: str, name: str) -> bool:
    """Return whether a one-time step has been marked as done in this database."""
    found = await connection.fetchval("SELECT true FROM platform.migration WHERE owner = $1 AND name = $2", owner, name)
    return bool(found)


async def has_any_done(connection: Connection, owner: str) -> bool:
    """Return whether any step of this owner has been marked as done. False if the database was never migrated."""
    try:
        return bool(await connection.fetchval("SELECT EXISTS (SELECT FROM platform.migration WHERE owner = $1)", owner))
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        return False


async def mark_done(connection: Connection, owner: str, name: str) -> None:
    """Mark a one-time step as done."""
    await connection.execute("INSERT INTO platform.migration (owner, name, digest) VALUES ($1, $2, '')", owner, name)


async def check_migrations(connection: Connection, migrations: Sequence[Migration], schema: str = "platform") -> None:
    """Raise MigrationError unless every migration of this code has been applied.

    `schema` contains the migration table, or the view through which the panel's role reads it.
    """
    try:
        pending = _find_pending(await _fetch_applied(connection, schema), migrations)
    except (asyncpg.UndefinedTableError, asyncpg.InvalidSchemaNameError):
        pending = list(migrations)  # this database was never migrated
    if pending and all(migration.is_repeatable for migration in pending):
        raise MigrationError(
            f"Outra versão do programa escreveu as funções deste banco (arquivos diferentes: {len(pending)}): execute "
            "`balcao migrate` com a versão que deve ficar."
        )
    if pending:
        raise MigrationError(f"Migrações que faltam neste banco: {len(pending)}; execute `balcao migrate`.")
