"""The collection as its writers and readers enter it (rules: search 4.4 steps 1-2).

The order of locks is the same everywhere: runs, collection, head, physical row.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta

from balcao.core.context.platform import Platform
from balcao.core.database.faults import Locked
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import store
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import StoredService

# The foldings that a query can be made with; a table says which one its columns were made with (rules: search 4.6).
KNOWN_FOLD_REVISIONS = frozenset({1})
# So long a reader that took the table's name before a switch may still be reading it.
OLD_READERS = timedelta(seconds=60)


async def lock_for_write(connection: Connection) -> Alias:
    """Keep the active table from changing until the transaction ends, and name it; every writer's first step.

    One round trip. Raises Unavailable for a collection in a form that only a newer program knows.
    """
    return require_known(await store.enter_collection(connection))


def require_known(alias: Alias) -> Alias:
    """Return the alias row. Raises Unavailable for a collection in a form that only a newer program knows."""
    if alias.fold_revision not in KNOWN_FOLD_REVISIONS:
        raise Unavailable("O catálogo foi atualizado por uma versão mais nova do programa.", code="collection-unknown")
    return alias


async def read_row(connection: Connection, alias: Alias, service_id: str) -> StoredService | None:
    """Return the service as stored, None for one that does not exist; `service_id` is a UUID in lower case."""
    return (await store.read_service_rows(connection, alias, [service_id])).get(service_id)


async def check_collection(platform: Platform) -> Mapping[str, bool]:
    """Tell whether the alias row is there and in a form that this program knows."""
    async with platform.database.connection() as connection:
        alias = await store.read_alias(connection)
    return {"collection": alias.fold_revision in KNOWN_FOLD_REVISIONS}


async def begin_with_version(platform: Platform, schema_version: str) -> None:
    """Give a collection that never held a service another schema version; on any other do nothing."""
    async with platform.database.transaction() as connection:
        await store.begin_with_version(connection, schema_version)


async def find_reusable_mirror(connection: Connection, alias: Alias, schema_version: str) -> str | None:
    """Return the mirror if it is a whole table of that version, so that nothing has to be copied to it."""
    if alias.mirror is None or not await store.is_whole_table(connection, alias.mirror, schema_version):
        return None
    return alias.mirror


async def open_mirror(connection: Connection, table: str) -> None:
    """Let every write go to this table, too, from the commit on; the table that was the mirror is dropped soon.

    Raises LockNotAvailableError for writers that do not end; the caller tries again in a new transaction.
    """
    former = (await store.read_alias(connection)).mirror
    if former not in (None, table):
        await store.drop_table_later(connection, former, OLD_READERS)
    await store.open_mirror(connection, table)


async def close_mirror(connection: Connection, table: str, keep: timedelta = OLD_READERS) -> None:
    """Let no further write go to this table and have it dropped after so long."""
    await store.close_mirror(connection, table)
    await store.drop_table_later(connection, table, keep)


async def drop_overdue_tables(platform: Platform) -> None:
    """Drop the tables whose time is over; one that is read at the moment stays until the next call."""
    async with platform.database.connection() as connection:
        overdue = await store.list_overdue_tables(connection)
    for table in overdue:
        with suppress(*Locked):
            async with platform.database.transaction() as connection:
                await store.drop_table(connection, table)
