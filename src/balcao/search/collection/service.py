"""The collection as its writers and readers enter it (rules: search 4.4 steps 1-2).

The order of locks is the same everywhere: runs, collection, head, physical row.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from balcao.core.context.platform import Platform
from balcao.core.database.faults import Locked
from balcao.core.database.pool import Connection
from balcao.core.errors import Unavailable
from balcao.search.collection import store
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import RefusedRow, RehearsedChunk, StoredService

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
    return (await store.read_rows(connection, alias, [service_id])).get(service_id)


async def read_rows(connection: Connection, alias: Alias, ids: Sequence[str]) -> dict[str, StoredService]:
    """Return by their ids those of these services that exist, as stored."""
    return await store.read_rows(connection, alias, ids)


def encode_row(service: StoredService) -> str:
    """Return the service as the jsonb text that `write_row_sql` takes."""
    return store.encode_row(service)


async def delete_row(connection: Connection, alias: Alias, service_id: str) -> None:
    """Take a service out of the collection; the caller holds the same locks as for `write_row_sql`."""
    await store.delete_row(connection, alias, service_id)


async def check_collection(platform: Platform) -> Mapping[str, bool]:
    """Tell whether the alias row is there and in a form that this program knows."""
    async with platform.database.connection() as connection:
        alias = await store.read_alias(connection)
    return {"collection": alias.fold_revision in KNOWN_FOLD_REVISIONS}


async def begin_with_version(platform: Platform, schema_version: str) -> None:
    """Give a collection that never held a service another schema version; on any other do nothing."""
    async with platform.database.transaction() as connection:
        await store.begin_with_version(connection, schema_version)


async def create_table(connection: Connection, schema_version: str) -> str:
    """Create an empty physical table, with its indexes and its mirror's trigger, and return its name."""
    return await store.create_table(connection, schema_version)


async def read_alias(connection: Connection) -> Alias:
    """Return the alias row: a reader takes table and folding revision from this one read, and needs no lock.

    A copy up to a second old is harmless: a table that was left stays for a minute.
    """
    return await store.read_alias(connection)


async def describe_table(connection: Connection, table: str) -> Alias:
    """Return what a reader needs to search this table as if it were the active one."""
    return await store.describe_table(connection, table)


async def lock_runs(connection: Connection) -> None:
    """Let one schema change at a time decide; writers never take this lock. Raises Unavailable."""
    await store.lock_runs(connection)


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


async def swap_tables(connection: Connection, active: str, goal: str) -> bool:
    """Exchange active table and mirror; return false when they are not these two, or have missed a write.

    The caller's last statement before the commit: no writer gets in between. Raises LockNotAvailableError for
    writers that do not end; the caller tries again in a new transaction.
    """
    return await store.swap_tables(connection, active, goal)


async def drop_overdue_tables(platform: Platform) -> None:
    """Drop the tables whose time is over; one that is read at the moment stays until the next call."""
    async with platform.database.connection() as connection:
        overdue = await store.list_overdue_tables(connection)
    for table in overdue:
        with suppress(*Locked):
            async with platform.database.transaction() as connection:
                await store.drop_table(connection, table)


async def list_schema_versions(connection: Connection) -> list[str]:
    """Return the known schema versions in their order."""
    return await store.list_schema_versions(connection)


async def count_rows(connection: Connection, table: str) -> int:
    """Count the services in a table; its name comes from the alias row, whose form the database checks."""
    return await store.count_rows(connection, table)


async def compare_chunk(
    connection: Connection, source: str, target: str, after: str | None, rows: int
) -> tuple[list[str], str | None]:
    """Return the ids that the tables do not have alike among the next rows, and where to go on; None at the end."""
    return await store.compare_chunk(connection, source, target, after, rows)


async def analyze_table(connection: Connection, table: str) -> None:
    """Bring the planner's statistics of a filled table up to date."""
    await store.analyze_table(connection, table)


async def create_rehearsal(connection: Connection, schema_version: str) -> None:
    """Create the table of a dry run, which this transaction alone sees and which ends with it."""
    await store.create_rehearsal(connection, schema_version)


async def rehearse_chunk(
    connection: Connection, source: str, schema_version: str, after: str | None, rows: int
) -> RehearsedChunk:
    """Take the next rows to the version and back in the table of the dry run."""
    return await store.rehearse_chunk(connection, source, schema_version, after, rows)


async def count_refused_rows(connection: Connection, table: str) -> int:
    """Count the services that a step or a constraint kept out of this table."""
    return await store.count_refused_rows(connection, table)


async def list_refused_rows(connection: Connection, table: str, most: int = 100) -> list[RefusedRow]:
    """Return the first rows that a step or a constraint kept out of this table."""
    return await store.list_refused_rows(connection, table, most)
