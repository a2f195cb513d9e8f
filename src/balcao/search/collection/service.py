"""The collection as its writers and readers enter it (rules: search 4.4 steps 1-2).

The order of locks is the same everywhere: runs, collection, head, physical row.
"""

from collections.abc import Mapping

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import store
from balcao.search.collection.records import Alias

# The form in which the programs read and write a service; the database steps to and from that of the active table.
PROGRAM_VERSION = "v3"
# 0: no folded column, so there is nothing that query and table could fold differently.
KNOWN_FOLD_REVISIONS = frozenset({0})


async def enter(connection: Connection) -> Alias:
    """For writers, first thing in their transaction: the active table cannot change until it ends."""
    await store.share(connection)
    alias = await store.read(connection)
    if alias.fold_revision not in KNOWN_FOLD_REVISIONS:
        raise Unavailable("O catálogo foi atualizado por uma versão mais nova do programa.", code="collection-unknown")
    return alias


async def ready(platform: Platform) -> Mapping[str, bool]:
    """Readiness: the alias row is there and in a form that this program knows."""
    async with platform.database.connection() as connection:
        alias = await store.read(connection)
    return {"collection": alias.fold_revision in KNOWN_FOLD_REVISIONS}


async def begin_with(platform: Platform, schema_version: str) -> None:
    """Gives a collection that never held a service another schema version; on any other it does nothing."""
    async with platform.database.transaction() as connection:
        await store.begin_with(connection, schema_version)


async def prepare_target(connection: Connection, schema_version: str) -> str:
    """An empty physical table for a migration; answers its name."""
    return await store.create_physical(connection, schema_version)


async def close_mirror(connection: Connection, *tables: str) -> str | None:
    """Ends the mirror when it is one of these tables; answers its name. The caller has seized the collection."""
    alias = await store.read(connection)
    if alias.mirror not in tables:
        return None
    await store.set_mirror(connection, None)
    return alias.mirror


async def read(connection: Connection) -> Alias:
    """In a statement of its own: together with the lock it would see the row as it was before the wait."""
    return await store.read(connection)


async def lock_runs(connection: Connection) -> None:
    """One schema change at a time decides; writers never take this lock. Raises Unavailable."""
    await store.lock_runs(connection)


async def seize(connection: Connection) -> None:
    """Keeps every writer out until the transaction ends. Raises Unavailable."""
    await store.seize(connection)


async def set_mirror(connection: Connection, table: str | None) -> None:
    """Let every write go to this table, too; None ends that."""
    await store.set_mirror(connection, table)


async def switch(connection: Connection) -> Alias:
    """Active table and mirror change places; the caller has seized the collection."""
    return await store.switch(connection)


async def schema_versions(connection: Connection) -> list[str]:
    """Return the known schema versions in their order."""
    return await store.schema_versions(connection)


async def drop_physical(connection: Connection, table: str) -> bool:
    """False, and nothing dropped, while the table is active or a mirror. Raises Unavailable while it is being read."""
    return await store.drop_physical(connection, table)


async def count(connection: Connection, table: str) -> int:
    """The table's name comes from the alias row, whose form the database checks."""
    return await store.count(connection, table)


async def copy_rows(connection: Connection, source: str, target: str) -> int:
    """Rows taken over; those that a step refused are in the errors of the target."""
    return await store.copy_rows(connection, source, target)


async def differing_rows(connection: Connection, source: str, target: str) -> list[str]:
    """Return the ids of the rows that the two tables do not have alike."""
    return await store.differing_rows(connection, source, target)


async def refused_rows(connection: Connection, table: str) -> list[str]:
    """Ids of the rows that a step could not bring into this table."""
    return await store.refused_rows(connection, table)
