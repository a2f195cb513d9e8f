"""SQL for the collection: its locks, its alias row and its physical tables."""

from collections.abc import Sequence
from datetime import timedelta

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, json_text
from balcao.core.database.statements import statement
from balcao.core.errors import Unavailable
from balcao.core.exports.declaration import Export, Exports, Rows
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import PROGRAM_VERSION, RefusedRow, RehearsedChunk, StoredService


@statement("""
SELECT physical, mirror, schema_version, fold_revision, generation FROM search.enter_collection()
WHERE physical IS NOT NULL
""")
async def _enter_collection(connection: Connection) -> Alias | None: ...


async def enter_collection(connection: Connection) -> Alias:
    """Take a writer's lock until the transaction ends, and return the alias row. Raises Unavailable if it is missing.

    The lock is an advisory lock, because PostgreSQL serves its waiters in order. It does not do so for row locks.
    """
    return _require(await _enter_collection(connection))


@statement("""
SELECT set_config('lock_timeout', :wait, true), pg_advisory_xact_lock(hashtextextended('search.migrations', 0)),
       set_config('lock_timeout', '0', true)
""")
async def _lock_runs(connection: Connection, wait: str) -> None: ...


# How long a call waits for another schema change. It is shorter than the deadline of the call (rules: search 5).
DECISION_SECONDS = 2.0


async def lock_runs(connection: Connection) -> None:
    """Lock out other schema changes until the transaction ends.

    Raises Unavailable if another change holds the lock too long.
    """
    try:
        await _lock_runs(connection, f"{DECISION_SECONDS}s")
    except asyncpg.LockNotAvailableError:
        raise Unavailable(code="migration-decision", retry_after=2) from None


@statement("""
SELECT physical, mirror, schema_version, fold_revision, generation
FROM search.search_collection WHERE name = 'services'
""")
async def _read_alias(connection: Connection) -> Alias | None: ...


async def read_alias(connection: Connection) -> Alias:
    """Return the alias row.

    A reader needs no lock, because this one query returns both the table and its folding revision.

    A row that is a second old is harmless, because a former table is not dropped for a minute. Raises Unavailable if
    there is no row.
    """
    return _require(await _read_alias(connection))


@statement("""
SELECT name AS physical, NULL AS mirror, schema_version, fold_revision, 0 AS generation
FROM search.physical_tables WHERE name = :table
""")
async def _describe_table(connection: Connection, table: str) -> Alias | None: ...


async def describe_collection_table(connection: Connection, table: str) -> Alias:
    """Return the alias row that the collection would have if this table were active."""
    return _require(await _describe_table(connection, table))


@statement("UPDATE search.search_collection SET mirror = NULL WHERE mirror = :table RETURNING true")
async def close_mirror(connection: Connection, table: str) -> bool:
    """Stop the mirroring to this table. Return false if it was not the mirror."""


@statement("SELECT search.open_mirror(:table)")
async def open_mirror(connection: Connection, table: str) -> None:
    """Make this table the mirror. Raises LockNotAvailableError if writers hold the lock for too long."""


@statement("SELECT search.swap_tables(:active, :goal)")
async def swap_tables(connection: Connection, active: str, goal: str) -> bool:
    """Exchange the active table and the mirror.

    Return false, and change nothing, if `active` is not the active table, if `goal` is not the mirror, or if the mirror
    refused a write.

    Make this the last statement before the commit, because writers wait from here on. Raises LockNotAvailableError if
    writers hold the lock for too long. The caller retries in a new transaction.
    """


@statement("UPDATE search.physical_tables SET drop_after = clock_timestamp() + :delay::interval WHERE name = :table")
async def drop_table_later(connection: Connection, table: str, delay: timedelta) -> None:
    """Schedule a table for dropping after `delay`."""


@statement("SELECT name FROM search.physical_tables WHERE drop_after <= now() ORDER BY name")
async def list_overdue_tables(connection: Connection) -> list[str]:
    """Return the names of the tables that are due for dropping."""


_READ_ROWS = """
SELECT active.id::text AS id, stepped.doc::text AS doc, stepped.carried::text AS carried, active.version
FROM search.{physical} AS active, search.step(active.id, active.doc, active.carried, $2, $3) AS stepped
WHERE active.id = ANY ($1::uuid[])
"""


async def read_service_rows(connection: Connection, alias: Alias, ids: Sequence[str]) -> dict[str, StoredService]:
    """Return the services with these ids, converted to `PROGRAM_VERSION`."""
    text = _READ_ROWS.format(physical=alias.physical)
    rows = await connection.fetch(text, ids, alias.schema_version, PROGRAM_VERSION)
    return {row["id"]: StoredService.from_row(row) for row in rows}


_WRITE_ROW = """
INSERT INTO search.{physical} (id, doc, carried, version)
SELECT given.id, stepped.doc, stepped.carried, given.version
FROM {source}
CROSS JOIN LATERAL jsonb_to_record({row}) AS given (id uuid, doc jsonb, carried jsonb, version int)
CROSS JOIN LATERAL search.step(given.id, given.doc, given.carried, '{program_version}', '{schema_version}') AS stepped
ON CONFLICT (id) DO UPDATE SET doc = excluded.doc, carried = excluded.carried, version = excluded.version
"""


def write_row_sql(alias: Alias, row: str, source: str) -> str:
    """Return an INSERT statement that upserts one service for each row of `source`.

    `row` is an SQL expression for the jsonb text of `encode_service_row`. A trigger copies each row to the mirror.

    Locks: the caller has entered the collection, which returned `alias`, and has locked the heads of the services.
    """
    return _WRITE_ROW.format(
        physical=alias.physical,
        source=source,
        row=row,
        program_version=PROGRAM_VERSION,
        schema_version=alias.schema_version,
    )


def encode_service_row(service: StoredService) -> str:
    """Encode the service as jsonb text for `write_row_sql`."""
    carried = msgspec.Raw(service.carried.encode())
    return json_text(
        {"id": service.document.id, "doc": service.document, "carried": carried, "version": service.version}
    )


_DELETE_ROW = "DELETE FROM search.{physical} WHERE id = $1"


async def delete_service_row(connection: Connection, alias: Alias, service_id: str) -> None:
    """Delete the service from the active table. A trigger also deletes it from the mirror.

    Locks: as for `write_row_sql`.
    """
    await connection.execute(_DELETE_ROW.format(physical=alias.physical), service_id)


@statement("SELECT version FROM search.schema_versions ORDER BY position")
async def list_schema_versions(connection: Connection) -> list[str]:
    """Return the known schema versions, oldest first."""


@statement("SELECT search.create_physical(:schema_version)")
async def create_collection_table(connection: Connection, schema_version: str) -> str:
    """Create an empty table of this schema version, with indexes and the mirror trigger. Return its name."""


# How long the worker waits for readers of a table before it gives up.
TABLE_SECONDS = 10.0


@statement("SELECT set_config('lock_timeout', :wait, true)")
async def _set_lock_timeout(connection: Connection, wait: str) -> None: ...


@statement("SELECT search.drop_physical(:table)")
async def _drop_table(connection: Connection, table: str) -> bool: ...


async def drop_table(connection: Connection, table: str) -> bool:
    """Drop a table. Return false, and drop nothing, if it is the active table or the mirror.

    Raises LockNotAvailableError if it is still being read after ten seconds.
    """
    await _set_lock_timeout(connection, f"{TABLE_SECONDS}s")
    return await _drop_table(connection, table)


@statement("SELECT search.begin_with(:schema_version)")
async def begin_with_version(connection: Connection, schema_version: str) -> None: ...


_COUNT = "SELECT count(*) FROM search.{table}"


async def count_collection_rows(connection: Connection, table: str) -> int:
    """Count the services in a table. The name is safe in SQL, because the database stores only well-formed names."""
    return int(await connection.fetchval(_COUNT.format(table=table)))


@statement("SELECT differing::text[], last::text FROM search.compare_chunk(:source, :target, :after, :rows)")
async def compare_chunk(
    connection: Connection, source: str, target: str, after: str | None, rows: int
) -> tuple[list[str], str | None]:
    """Compare the next `rows` services after an id. Return the ids that differ, and the last compared id.

    The last id is None if these were the last services.
    """


@statement("""
SELECT physical_tables.name FROM search.physical_tables
JOIN search.schema_versions
  ON version = schema_version AND schema_versions.fold_revision = physical_tables.fold_revision
WHERE name = :table AND version = :schema_version
  AND NOT EXISTS (SELECT FROM search.search_migration_errors WHERE physical_table = name)
""")
async def is_whole_table(connection: Connection, table: str, schema_version: str) -> bool:
    """Return whether the table has this schema version and its current folding, and has received every write."""


@statement("SELECT search.analyze_physical(:table)")
async def analyze_collection_table(connection: Connection, table: str) -> None:
    """Update the planner statistics of a table."""


@statement("SELECT search.create_rehearsal(:schema_version)")
async def create_rehearsal(connection: Connection, schema_version: str) -> None:
    """Create a temporary table for this transaction, with the constraints of a schema version."""


@statement("""
SELECT seen, last::text, failed::text AS refused, changed::text
FROM search.rehearse_chunk(:source, :schema_version, :after, :rows)
""")
async def rehearse_chunk(
    connection: Connection, source: str, schema_version: str, after: str | None, rows: int
) -> RehearsedChunk:
    """Convert the next rows to this schema version and back, and insert them into the table of the dry run."""


@statement("""
SELECT service_id::text, field, reason FROM search.search_migration_errors WHERE physical_table = :table
ORDER BY id LIMIT :most
""")
async def list_refused_rows(connection: Connection, table: str, most: int = 100) -> list[RefusedRow]:
    """Return the first rows that could not be written to this table."""


@statement("SELECT count(DISTINCT service_id) FROM search.search_migration_errors WHERE physical_table = :table")
async def count_refused_rows(connection: Connection, table: str) -> int:
    """Count the services that could not be written to this table."""


@statement("UPDATE search.search_collection SET ranked_at = clock_timestamp()")
async def note_ranking(connection: Connection) -> None:
    """Record that the popularity was recomputed. Every host then rebuilds its index."""


def _require(alias: Alias | None) -> Alias:
    if alias is None:
        raise Unavailable(code="collection-missing")
    return alias


_DOCUMENT = """
(SELECT stepped.doc
 FROM search.step(stored.id, stored.doc, stored.carried, '{schema_version}', '{program_version}') AS stepped)
"""


async def find_rows(connection: Connection) -> Rows:
    """Describe the rows of an export: all services of the active table, converted to `PROGRAM_VERSION`."""
    alias = await read_alias(connection)
    line = _DOCUMENT.format(schema_version=alias.schema_version, program_version=PROGRAM_VERSION)
    return Rows(f"search.{alias.physical}", line)


EXPORTS = Exports(
    [Export("services", find_rows)],
    derived=("search.physical_tables", "search.schema_versions", "search.search_collection"),
)


OFFERED = (
    analyze_collection_table,
    compare_chunk,
    count_refused_rows,
    count_collection_rows,
    create_rehearsal,
    create_collection_table,
    delete_service_row,
    describe_collection_table,
    encode_service_row,
    list_refused_rows,
    list_schema_versions,
    lock_runs,
    note_ranking,
    read_alias,
    read_service_rows,
    rehearse_chunk,
    swap_tables,
)
