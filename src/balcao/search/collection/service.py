"""Access to the collection for writers and readers (rules: search 4.4 steps 1-2).

Lock order: migration runs, collection, head of the service, row of the physical table.
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

# The revisions of the folding rules that this program supports. Each table records the revision that produced its
# folded columns (rules: search 4.6).
KNOWN_FOLD_REVISIONS = frozenset({1})
# A reader that looked up the table's name before a switch may read the former table for up to this time.
OLD_READERS = timedelta(seconds=60)


async def lock_for_write(connection: Connection) -> Alias:
    """Lock the collection against a switch until the transaction ends, and return the alias row.

    Every writer does this first. Raises Unavailable if the collection needs a newer program.
    """
    return require_known(await store.enter_collection(connection))


def require_known(alias: Alias) -> Alias:
    """Return the alias row. Raises Unavailable if the collection needs a newer program."""
    if alias.fold_revision not in KNOWN_FOLD_REVISIONS:
        raise Unavailable("O catálogo foi atualizado por uma versão mais nova do programa.", code="collection-unknown")
    return alias


async def read_row(connection: Connection, alias: Alias, service_id: str) -> StoredService | None:
    """Return the stored service, or None if it does not exist. `service_id` must be lowercase."""
    return (await store.read_service_rows(connection, alias, [service_id])).get(service_id)


async def check_collection(platform: Platform) -> Mapping[str, bool]:
    """Return whether this program supports the collection. Raises Unavailable if the alias row is missing."""
    async with platform.database.connection() as connection:
        alias = await store.read_alias(connection)
    return {"collection": alias.fold_revision in KNOWN_FOLD_REVISIONS}


async def begin_with_version(platform: Platform, schema_version: str) -> None:
    """Set the schema version of a collection that has never contained a service.

    For any other collection, do nothing.
    """
    async with platform.database.transaction() as connection:
        await store.begin_with_version(connection, schema_version)


async def find_reusable_mirror(connection: Connection, alias: Alias, schema_version: str) -> str | None:
    """Return the mirror if it is a complete table of this schema version. A migration then has nothing to copy."""
    if alias.mirror is None or not await store.is_whole_table(connection, alias.mirror, schema_version):
        return None
    return alias.mirror


async def open_mirror(connection: Connection, table: str) -> None:
    """Make this table the mirror, which receives every write after the commit. Schedule the former mirror for dropping.

    Raises LockNotAvailableError if writers hold the lock for too long. The caller retries in a new transaction.
    """
    former = (await store.read_alias(connection)).mirror
    if former not in (None, table):
        await store.drop_table_later(connection, former, OLD_READERS)
    await store.open_mirror(connection, table)


async def close_mirror(connection: Connection, table: str, keep: timedelta = OLD_READERS) -> None:
    """Stop the mirroring to this table, and schedule the table for dropping after `keep`."""
    await store.close_mirror(connection, table)
    await store.drop_table_later(connection, table, keep)


async def drop_overdue_tables(platform: Platform) -> None:
    """Drop the tables that are due. A table that is being read is dropped by a later call."""
    async with platform.database.connection() as connection:
        overdue = await store.list_overdue_tables(connection)
    for table in overdue:
        with suppress(*Locked):
            async with platform.database.transaction() as connection:
                await store.drop_table(connection, table)
