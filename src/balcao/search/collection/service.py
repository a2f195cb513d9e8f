"""The collection as its writers and readers enter it (rules: search 4.4 steps 1-2).

The order of locks is the same everywhere: runs, collection, head, physical row.
"""

from collections.abc import Mapping

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import store
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import StoredService

# 0: no folded column, so there is nothing that query and table could fold differently.
KNOWN_FOLD_REVISIONS = frozenset({0})


async def lock_for_write(connection: Connection) -> Alias:
    """Keep the active table from changing until the transaction ends, and name it; every writer's first step.

    One round trip. Raises Unavailable for a collection in a form that only a newer program knows.
    """
    alias = await store.enter(connection)
    if alias.fold_revision not in KNOWN_FOLD_REVISIONS:
        raise Unavailable("O catálogo foi atualizado por uma versão mais nova do programa.", code="collection-unknown")
    return alias


async def read_row(connection: Connection, alias: Alias, service_id: str) -> StoredService | None:
    """Return the service as stored, None for one that does not exist; `service_id` is a UUID in lower case."""
    return await store.read_row(connection, alias, service_id)


async def write_row(connection: Connection, alias: Alias, service: StoredService) -> None:
    """Insert or replace a service; index and mirror follow in the same statement.

    The caller entered by `lock_for_write`, which gave the alias, and holds the lock of the service's head.
    """
    await store.write_row(connection, alias, service)


async def delete_row(connection: Connection, alias: Alias, service_id: str) -> None:
    """Take a service out of the collection; the caller holds the same locks as for `write_row`."""
    await store.delete_row(connection, alias, service_id)


async def ready(platform: Platform) -> Mapping[str, bool]:
    """Tell whether the alias row is there and in a form that this program knows."""
    async with platform.database.connection() as connection:
        alias = await store.read_alias(connection)
    return {"collection": alias.fold_revision in KNOWN_FOLD_REVISIONS}


async def begin_with(platform: Platform, schema_version: str) -> None:
    """Give a collection that never held a service another schema version; on any other do nothing."""
    async with platform.database.transaction() as connection:
        await store.begin_with(connection, schema_version)


async def create_table(connection: Connection, schema_version: str) -> str:
    """Create an empty physical table for a migration and return its name."""
    return await store.create_table(connection, schema_version)


async def close_mirror(connection: Connection, *tables: str) -> str | None:
    """End the mirror when it is one of these tables and return its name. The caller holds the exclusive lock."""
    alias = await store.read_alias(connection)
    if alias.mirror not in tables:
        return None
    await store.set_mirror(connection, None)
    return alias.mirror


async def read_alias(connection: Connection) -> Alias:
    """Return the alias row, in a statement of its own.

    Together with the lock, one statement would see the row as it was before the wait.
    """
    return await store.read_alias(connection)


async def lock_runs(connection: Connection) -> None:
    """Let one schema change at a time decide; writers never take this lock. Raises Unavailable."""
    await store.lock_runs(connection)


async def lock_exclusively(connection: Connection) -> None:
    """Keep every writer out until the transaction ends. Raises Unavailable."""
    await store.lock_exclusively(connection)


async def set_mirror(connection: Connection, table: str | None) -> None:
    """Let every write go to this table, too; None ends that."""
    await store.set_mirror(connection, table)


async def swap_tables(connection: Connection) -> Alias:
    """Exchange active table and mirror. The caller holds the exclusive lock."""
    return await store.swap_tables(connection)


async def list_schema_versions(connection: Connection) -> list[str]:
    """Return the known schema versions in their order."""
    return await store.list_schema_versions(connection)


async def drop_table(connection: Connection, table: str) -> bool:
    """Drop a table; return false, and drop nothing, while it is active or a mirror.

    Raises Unavailable while it is being read.
    """
    return await store.drop_table(connection, table)


async def count_rows(connection: Connection, table: str) -> int:
    """Count the services in a table; its name comes from the alias row, whose form the database checks."""
    return await store.count_rows(connection, table)


async def copy_rows(connection: Connection, source: str, target: str) -> int:
    """Return how many rows were copied; those that a step refused are in the errors of the target."""
    return await store.copy_rows(connection, source, target)


async def list_differing_rows(connection: Connection, source: str, target: str) -> list[str]:
    """Return the ids of the rows that the two tables do not have alike."""
    return await store.list_differing_rows(connection, source, target)


async def list_refused_rows(connection: Connection, table: str) -> list[str]:
    """Return the ids of the rows that a step could not bring into this table."""
    return await store.list_refused_rows(connection, table)
