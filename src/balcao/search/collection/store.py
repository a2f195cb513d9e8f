"""SQL of the collection: its locks, its alias row and its physical tables."""

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
    """Take a writer's lock until the transaction ends and return the alias row. Raises Unavailable when there is none.

    The lock queues fairly, which row locks do not.
    """
    return _require(await _enter_collection(connection))


@statement("""
SELECT set_config('lock_timeout', :wait, true), pg_advisory_xact_lock(hashtextextended('search.migrations', 0)),
       set_config('lock_timeout', '0', true)
""")
async def _lock_runs(connection: Connection, wait: str) -> None: ...


# What a call waits for another one to decide: less than it may take as a whole (rules: search 5).
DECISION_SECONDS = 2.0


async def lock_runs(connection: Connection) -> None:
    """Let one schema change at a time decide; writers never take this lock. Raises Unavailable."""
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
    """Return the alias row: a reader takes table and folding revision from this one read, and needs no lock.

    A copy up to a second old is harmless: a table that was left stays for a minute. Raises Unavailable when there is
    none.
    """
    return _require(await _read_alias(connection))


@statement("""
SELECT name AS physical, NULL AS mirror, schema_version, fold_revision, 0 AS generation
FROM search.physical_tables WHERE name = :table
""")
async def _describe_table(connection: Connection, table: str) -> Alias | None: ...


async def describe_collection_table(connection: Connection, table: str) -> Alias:
    """Return the alias row as it would be if this table were the active one."""
    return _require(await _describe_table(connection, table))


@statement("UPDATE search.search_collection SET mirror = NULL WHERE mirror = :table RETURNING true")
async def close_mirror(connection: Connection, table: str) -> bool:
    """Let no further write go to this table; return false when none went."""


@statement("SELECT search.open_mirror(:table)")
async def open_mirror(connection: Connection, table: str) -> None:
    """Let every write go to this table, too. Raises LockNotAvailableError for writers that do not end."""


@statement("SELECT search.swap_tables(:active, :goal)")
async def swap_tables(connection: Connection, active: str, goal: str) -> bool:
    """Exchange active table and mirror; return false when they are not these two, or not alike.

    The caller's last statement before the commit, so that no writer gets in between. Raises LockNotAvailableError for
    writers that do not end; the caller tries again in a new transaction.
    """


@statement("UPDATE search.physical_tables SET drop_after = clock_timestamp() + :delay::interval WHERE name = :table")
async def drop_table_later(connection: Connection, table: str, delay: timedelta) -> None:
    """Let a table go after so long."""


@statement("SELECT name FROM search.physical_tables WHERE drop_after <= now() ORDER BY name")
async def list_overdue_tables(connection: Connection) -> list[str]:
    """Return the tables whose time is over."""


_READ_ROWS = """
SELECT active.id::text AS id, stepped.doc::text AS doc, stepped.carried::text AS carried, active.version
FROM search.{physical} AS active, search.step(active.id, active.doc, active.carried, $2, $3) AS stepped
WHERE active.id = ANY ($1::uuid[])
"""


async def read_service_rows(connection: Connection, alias: Alias, ids: Sequence[str]) -> dict[str, StoredService]:
    """Return the rows of these services in the active table, in the form of the programs."""
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
    """Return the text of an INSERT that writes, for each row of `source`, a service, whether it is there or not.

    `row` is an SQL expression of what `encode_service_row` returned. A trigger takes the row to the mirror. The caller
    entered the collection, which gave the alias, and holds the lock of the service's head.
    """
    return _WRITE_ROW.format(
        physical=alias.physical,
        source=source,
        row=row,
        program_version=PROGRAM_VERSION,
        schema_version=alias.schema_version,
    )


def encode_service_row(service: StoredService) -> str:
    """Return the service as the jsonb text that `write_row_sql` takes."""
    carried = msgspec.Raw(service.carried.encode())
    return json_text(
        {"id": service.document.id, "doc": service.document, "carried": carried, "version": service.version}
    )


_DELETE_ROW = "DELETE FROM search.{physical} WHERE id = $1"


async def delete_service_row(connection: Connection, alias: Alias, service_id: str) -> None:
    """Delete the service's row in the active table; a trigger takes the deletion to the mirror.

    The caller holds the same locks as for `write_row_sql`.
    """
    await connection.execute(_DELETE_ROW.format(physical=alias.physical), service_id)


@statement("SELECT version FROM search.schema_versions ORDER BY position")
async def list_schema_versions(connection: Connection) -> list[str]:
    """Return the known schema versions in their order."""


@statement("SELECT search.create_physical(:schema_version)")
async def create_collection_table(connection: Connection, schema_version: str) -> str:
    """Create an empty table of that schema version, with its indexes and its mirror's trigger, and return its name."""


# What the worker waits for the readers of a table.
TABLE_SECONDS = 10.0


@statement("SELECT set_config('lock_timeout', :wait, true)")
async def _set_lock_timeout(connection: Connection, wait: str) -> None: ...


@statement("SELECT search.drop_physical(:table)")
async def _drop_table(connection: Connection, table: str) -> bool: ...


async def drop_table(connection: Connection, table: str) -> bool:
    """Return false, and drop nothing, while the table is active or a mirror.

    Raises LockNotAvailableError while it is being read.
    """
    await _set_lock_timeout(connection, f"{TABLE_SECONDS}s")
    return await _drop_table(connection, table)


@statement("SELECT search.begin_with(:schema_version)")
async def begin_with_version(connection: Connection, schema_version: str) -> None: ...


_COUNT = "SELECT count(*) FROM search.{table}"


async def count_collection_rows(connection: Connection, table: str) -> int:
    """Count the services in a table; its name comes from the alias row, whose form the database checks."""
    return int(await connection.fetchval(_COUNT.format(table=table)))


@statement("SELECT differing::text[], last::text FROM search.compare_chunk(:source, :target, :after, :rows)")
async def compare_chunk(
    connection: Connection, source: str, target: str, after: str | None, rows: int
) -> tuple[list[str], str | None]:
    """Return the ids that the tables do not have alike among the next rows, and the last id of these.

    The last id is None when no row is left.
    """


@statement("""
SELECT physical_tables.name FROM search.physical_tables
JOIN search.schema_versions
  ON version = schema_version AND schema_versions.fold_revision = physical_tables.fold_revision
WHERE name = :table AND version = :schema_version
  AND NOT EXISTS (SELECT FROM search.search_migration_errors WHERE physical_table = name)
""")
async def is_whole_table(connection: Connection, table: str, schema_version: str) -> bool:
    """Return whether this table is of that version, made with its present folding, and has missed no write."""


@statement("SELECT search.analyze_physical(:table)")
async def analyze_collection_table(connection: Connection, table: str) -> None:
    """Bring the planner's statistics of a filled table up to date."""


@statement("SELECT search.create_rehearsal(:schema_version)")
async def create_rehearsal(connection: Connection, schema_version: str) -> None:
    """Create a table of this transaction alone, with the constraints of a schema version."""


@statement("""
SELECT seen, last::text, failed::text AS refused, changed::text
FROM search.rehearse_chunk(:source, :schema_version, :after, :rows)
""")
async def rehearse_chunk(
    connection: Connection, source: str, schema_version: str, after: str | None, rows: int
) -> RehearsedChunk:
    """Take the next rows to the version in the table of the dry run and back."""


@statement("""
SELECT service_id::text, field, reason FROM search.search_migration_errors WHERE physical_table = :table
ORDER BY id LIMIT :most
""")
async def list_refused_rows(connection: Connection, table: str, most: int = 100) -> list[RefusedRow]:
    """Return the first rows that a step or a constraint refused in this table."""


@statement("SELECT count(DISTINCT service_id) FROM search.search_migration_errors WHERE physical_table = :table")
async def count_refused_rows(connection: Connection, table: str) -> int:
    """Count the services that a step or a constraint kept out of this table."""


@statement("UPDATE search.search_collection SET ranked_at = clock_timestamp()")
async def note_ranking(connection: Connection) -> None:
    """Note that the popularity was computed. Every host then rebuilds its index."""


def _require(alias: Alias | None) -> Alias:
    if alias is None:
        raise Unavailable(code="collection-missing")
    return alias


_DOCUMENT = """
(SELECT stepped.doc
 FROM search.step(stored.id, stored.doc, stored.carried, '{schema_version}', '{program_version}') AS stepped)
"""


async def find_rows(connection: Connection) -> Rows:
    """Return the services as they stand in the active table, in the form of the programs."""
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
