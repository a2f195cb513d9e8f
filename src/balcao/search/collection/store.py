"""SQL of the collection: its locks, its alias row and its physical tables."""

import asyncpg

from balcao.core.database.pool import Connection, Row, json_text
from balcao.core.errors import Unavailable
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, StoredService

# What a schema change waits for the writers under way (rules: search 2.1).
LOCK_TIMEOUT = "10s"


_ENTER = """
SELECT physical, mirror, schema_version, fold_revision, generation FROM search.enter_collection()
WHERE physical IS NOT NULL
"""


async def enter(connection: Connection) -> Alias:
    """Take a writer's lock until the transaction ends and return the alias row. Raises Unavailable when there is none.

    The lock queues fairly, which row locks do not.
    """
    return _to_alias(await connection.fetchrow(_ENTER))


_SET_LOCK_TIMEOUT = "SELECT set_config('lock_timeout', $1, true)"
_LOCK_RUNS = "SELECT pg_advisory_xact_lock(hashtextextended('search.migrations', 0))"
_SEIZE = "SELECT pg_advisory_xact_lock(hashtextextended('search.collection', 0))"


async def lock_runs(connection: Connection) -> None:
    """Let one schema change at a time decide. Raises Unavailable."""
    await _wait_for(connection, _LOCK_RUNS)


async def lock_exclusively(connection: Connection) -> None:
    """Keep every writer out until the transaction ends. Raises Unavailable."""
    await _wait_for(connection, _SEIZE)


async def _wait_for(connection: Connection, lock: str) -> None:
    await connection.execute(_SET_LOCK_TIMEOUT, LOCK_TIMEOUT)
    try:
        await connection.execute(lock)
    except asyncpg.LockNotAvailableError:
        text = "Há gravações em curso que impedem a troca agora. Nada mudou: tente de novo."
        raise Unavailable(text, code="switch-lock", retry_after=2) from None


_READ = """
SELECT physical, mirror, schema_version, fold_revision, generation
FROM search.search_collection WHERE name = 'services'
"""


async def read_alias(connection: Connection) -> Alias:
    """Return the alias row. Raises Unavailable when there is none."""
    return _to_alias(await connection.fetchrow(_READ))


_SET_MIRROR = "UPDATE search.search_collection SET mirror = $1"


async def set_mirror(connection: Connection, table: str | None) -> None:
    await connection.execute(_SET_MIRROR, table)


_SWITCH = """
UPDATE search.search_collection
SET physical = goal.name, mirror = search_collection.physical, schema_version = goal.schema_version,
    fold_revision = goal.fold_revision, generation = generation + 1
FROM search.physical_tables AS goal
WHERE goal.name = search_collection.mirror
RETURNING physical, mirror, search_collection.schema_version, search_collection.fold_revision, generation
"""


async def swap_tables(connection: Connection) -> Alias:
    """Exchange active table and mirror and return the new state."""
    return _to_alias(await connection.fetchrow(_SWITCH))


_READ_ROW = """
SELECT stepped.doc::text AS doc, stepped.carried::text AS carried, active.version
FROM search.{physical} AS active, search.step(active.id, active.doc, active.carried, $2, $3) AS stepped
WHERE active.id = $1
"""


async def read_row(connection: Connection, alias: Alias, service_id: str) -> StoredService | None:
    """Return the service's row in the active table, in the form of the programs."""
    row = await connection.fetchrow(
        _READ_ROW.format(physical=alias.physical), service_id, alias.schema_version, PROGRAM_VERSION
    )
    if row is None:
        return None
    return StoredService.decode(row["doc"], row["carried"], row["version"])


_WRITE_ROW = """
INSERT INTO search.{physical} (id, doc, carried, version)
SELECT $1, stepped.doc, stepped.carried, $4 FROM search.step($1, $2, $3, $5, $6) AS stepped
ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, carried = excluded.carried, version = excluded.version
"""


async def write_row(connection: Connection, alias: Alias, service: StoredService) -> None:
    """Write the service's row in the active table, whether it is there or not; a trigger takes it to the mirror."""
    await connection.execute(
        _WRITE_ROW.format(physical=alias.physical),
        service.document.id,
        json_text(service.document),
        service.carried,
        service.version,
        PROGRAM_VERSION,
        alias.schema_version,
    )


_DELETE_ROW = "DELETE FROM search.{physical} WHERE id = $1"


async def delete_row(connection: Connection, alias: Alias, service_id: str) -> None:
    """Delete the service's row in the active table; a trigger takes the deletion to the mirror."""
    await connection.execute(_DELETE_ROW.format(physical=alias.physical), service_id)


_VERSIONS = "SELECT version FROM search.schema_versions ORDER BY position"


async def list_schema_versions(connection: Connection) -> list[str]:
    return [row["version"] for row in await connection.fetch(_VERSIONS)]


_CREATE = "SELECT search.create_physical($1)"


async def create_table(connection: Connection, schema_version: str) -> str:
    """Create an empty table in that schema version and return its name."""
    return str(await connection.fetchval(_CREATE, schema_version))


_DROP = "SELECT search.drop_physical($1)"


async def drop_table(connection: Connection, table: str) -> bool:
    """Return false, and drop nothing, while the table is active or a mirror.

    Raises Unavailable while it is being read.
    """
    await connection.execute(_SET_LOCK_TIMEOUT, LOCK_TIMEOUT)
    try:
        return bool(await connection.fetchval(_DROP, table))
    except asyncpg.LockNotAvailableError:
        raise Unavailable(code="table-in-use", retry_after=2) from None


_BEGIN_WITH = "SELECT search.begin_with($1)"


async def begin_with(connection: Connection, schema_version: str) -> None:
    await connection.execute(_BEGIN_WITH, schema_version)


_COUNT = "SELECT count(*) FROM search.{table}"


async def count_rows(connection: Connection, table: str) -> int:
    """Count the services in a table; its name comes from the alias row, whose form the database checks."""
    return int(await connection.fetchval(_COUNT.format(table=table)))


_COPY = "SELECT search.copy_rows($1, $2)"


async def copy_rows(connection: Connection, source: str, target: str) -> int:
    """Return how many rows were copied; those that a step refused are in the errors of the target."""
    return int(await connection.fetchval(_COPY, source, target))


_DIFFERING = "SELECT differing_rows::text AS id FROM search.differing_rows($1, $2)"


async def list_differing_rows(connection: Connection, source: str, target: str) -> list[str]:
    return [row["id"] for row in await connection.fetch(_DIFFERING, source, target)]


_REFUSED = """
SELECT DISTINCT service_id::text AS id FROM search.search_migration_errors WHERE physical_table = $1 ORDER BY 1
"""


async def list_refused_rows(connection: Connection, table: str) -> list[str]:
    """Return the ids of the rows that a step could not bring into this table."""
    return [row["id"] for row in await connection.fetch(_REFUSED, table)]


def _to_alias(row: Row | None) -> Alias:
    if row is None:
        raise Unavailable(code="collection-missing")
    return Alias(**row)
