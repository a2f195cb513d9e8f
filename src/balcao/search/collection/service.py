"""The collection as its writers and readers enter it (rules: search 4.4 steps 1-2).

The order of locks is the same everywhere: runs, collection, head, physical row.
"""

from collections.abc import Mapping

from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import store
from balcao.search.collection.store import Alias

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


read = store.read
lock_runs = store.lock_runs
seize = store.seize
set_mirror = store.set_mirror
switch = store.switch
schema_versions = store.schema_versions
drop_physical = store.drop_physical
count = store.count
copy_rows = store.copy_rows
differing_rows = store.differing_rows
refused_rows = store.refused_rows

__all__ = [
    "PROGRAM_VERSION",
    "Alias",
    "begin_with",
    "close_mirror",
    "copy_rows",
    "count",
    "differing_rows",
    "drop_physical",
    "enter",
    "lock_runs",
    "prepare_target",
    "read",
    "ready",
    "refused_rows",
    "schema_versions",
    "seize",
    "set_mirror",
    "switch",
]
