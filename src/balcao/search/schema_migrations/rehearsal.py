"""A dry run converts every service to a schema version and back, and stores nothing (rules: search 4.4 step 13)."""

import math
import time
from collections import Counter

from balcao.core.context.call import Call
from balcao.core.values.clock import utc_now
from balcao.search.collection.alias import Alias
from balcao.search.collection.row import RefusedRow
from balcao.search.collection.store import count_collection_rows, create_rehearsal, read_alias, rehearse_chunk
from balcao.search.schema_migrations.schemas import ChangedField, DryRunReport, RefusedService, StartedMigration

# The caller waits for the report. If the time runs out, `progress` shows how much was checked.
LONGEST_SECONDS = 55.0
# The deadline of the whole transaction, which applies if a table is locked or the last chunk is slow.
BLOCK_SECONDS = 60.0
ROWS_AT_ONCE = 500
MOST_FAILURES = 100
# A migration takes about this many times as long, because it also compares the tables and pauses for writers.
TIMES_A_REHEARSAL = 3


async def rehearse_migration(call: Call, schema_version: str) -> StartedMigration:
    """Return a report of what a migration to this version would do, without creating a run or a permanent table."""
    refused: list[RefusedRow] = []
    changed: Counter[str] = Counter()
    checked, after = 0, None
    begun = time.monotonic()
    async with call.platform.database.rehearsal(seconds=BLOCK_SECONDS) as connection:
        alias = await read_alias(connection)
        total = await count_collection_rows(connection, alias.physical)
        await create_rehearsal(connection, schema_version)
        while time.monotonic() - begun < LONGEST_SECONDS:
            chunk = await rehearse_chunk(connection, alias.physical, schema_version, after, ROWS_AT_ONCE)
            checked, after = checked + chunk.seen, chunk.last
            refused += chunk.refused
            for counted in chunk.changed:
                changed.update(counted)
            if chunk.seen < ROWS_AT_ONCE:
                total = checked
                break
    seconds = (time.monotonic() - begun) * TIMES_A_REHEARSAL * max(total, 1) / max(checked, 1)
    report = DryRunReport(
        checked=checked,
        failed=len(refused),
        failures=[RefusedService(row.service_id, row.field, row.reason) for row in refused[:MOST_FAILURES]],
        fields_changed=[ChangedField(field, rows) for field, rows in sorted(changed.items())],
        estimated_seconds=math.ceil(seconds),
    )
    return _describe(alias, schema_version, total, report)


def _describe(alias: Alias, schema_version: str, total: int, report: DryRunReport) -> StartedMigration:
    """Return the response to a dry run, in the form of a run.

    `progress` is the percentage of services that were checked.
    """
    return StartedMigration(
        backup_collection="",
        completed_at=0,
        error_message="",
        is_locked=False,
        migrated_documents=report.checked - report.failed,
        progress=100 * report.checked // total if total else 100,
        schema_version=schema_version,
        source_collection=alias.physical,
        started_at=0,
        started_by="",
        status="idle",
        target_collection=f"services_{schema_version}_{utc_now():%Y%m%d_%H%M%S}",
        total_documents=total,
        migration_id=None,
        dry_run=report,
    )
