"""Import files in batches of lines.

Each batch is committed together with its position, so a killed import can be resumed. Memory does not grow with the
file. While one batch is written, only the next batch is read and decoded.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from balcao.core.context.call import Call
from balcao.core.context.platform import Platform
from balcao.core.database.faults import RowsRefused
from balcao.core.database.pool import Connection, Database
from balcao.core.errors import BalcaoError, Conflict, Invalid
from balcao.core.imports import store
from balcao.core.imports.declaration import Committed, Import
from balcao.core.imports.report import Report
from balcao.core.imports.rows import Decoder, NumberedRow, Refused
from balcao.core.imports.source import Source

_NOT_STORED = "O banco de dados recusou a linha: um valor está fora do permitido ou aponta para algo que não existe."
_NO_TABLE = "Este tipo não vem em tabela, porque tem partes dentro de partes: use JSON Lines."

# A function that is called after each batch, with the number of bytes read from the file on disk and the committed part
# of the import.
OnProgress = Callable[[int, Committed], None]


@dataclass(frozen=True)
class Order:
    """An import to run. `source` is the name of the lines' origin, for rows that store it.

    A dry run rolls back everything that it writes.
    """

    declared: Import
    source: str | None = None
    report: Path | None = None
    dry_run: bool = False


@dataclass(frozen=True)
class Outcome:
    """The result of an import.

    `done` counts the lines from the start of the file, even if the import was resumed after `resumed_after` lines.
    """

    done: Committed
    resumed_after: int


class Batch(NamedTuple):
    """A batch of decoded lines, and the positions in the file after it."""

    rows: list[NumberedRow]
    refused: list[Refused]
    skipped: int
    byte_offset: int
    lines: int
    position: int


async def run_import(call: Call, source: Source, order: Order, on_progress: OnProgress) -> Outcome:
    """Import a file. If an earlier import of it was killed, import the rest.

    Raises Conflict if another import of the kind is running. Raises Invalid if the file is damaged, if the report
    cannot be written, or if the file is a table and the kind or a column does not fit into one.
    """
    if source.table is not None:
        if not order.declared.from_table:
            raise Invalid(_NO_TABLE, code="import-not-table")
        source.table.expect(order.declared.row)
    async with _connect_as_owner(call.platform) as connection:
        await store.lock_kind(connection, order.declared.kind)
        return await _run(connection, call, source, order, on_progress)


async def import_rows(platform: Platform, kind: Import, rows: Iterable[Any]) -> int:
    """Write rows from memory, for example the sandbox's rows. Return how many changed."""
    waiting, changed = iter(rows), 0
    async with _connect_as_owner(platform) as connection:
        while batch := list(islice(waiting, kind.batch)):
            async with connection.transaction():
                changed += await kind.write_batch(connection, batch)
    return changed


@asynccontextmanager
async def _connect_as_owner(platform: Platform) -> AsyncIterator[Connection]:
    """Connect with the role that owns the tables, in the city's time zone."""
    database = Database(platform.owner_url, size=1, role=None)
    await database.open()
    try:
        async with database.connection() as connection:
            await store.set_zone(connection, platform.settings.time_zone)
            yield connection
    finally:
        await database.close()


async def _run(connection: Connection, call: Call, source: Source, order: Order, on_progress: OnProgress) -> Outcome:
    done = Committed() if order.dry_run else await _begin(connection, call, source, order)
    resumed_after = done.lines
    if resumed_after:
        await asyncio.to_thread(source.resume, done.byte_offset, done.lines)
    decoder = Decoder(order.declared.row, order.source, source.table)
    with Report(order.report).resume_after(resumed_after) as report:
        batch = await asyncio.to_thread(_read_batch, source, decoder, order.declared.batch)
        while batch is not None:
            following = asyncio.create_task(asyncio.to_thread(_read_batch, source, decoder, order.declared.batch))
            try:
                await _commit(connection, order, batch, done, report)
            finally:
                await asyncio.wait([following])  # wait for the task, because the caller will close its file
            on_progress(batch.position, done)
            batch = following.result()
    if not order.dry_run:
        await store.finish_import(connection, order.declared.kind)
    return Outcome(done, resumed_after)


async def _begin(connection: Connection, call: Call, source: Source, order: Order) -> Committed:
    """Record that the import of the file starts or continues, and return its committed part.

    The audit trail gets one event for the file, because an event for each row would be too many.
    """
    kind = order.declared.kind
    async with connection.transaction():
        await call.platform.audit.record(connection, call, "update", fields=[f"load:{kind}"])
        if source.sha256 is None:
            await store.forget_import(connection, kind)
        elif done := await store.find_unfinished_import(connection, kind, source.sha256):
            return done
        else:
            await store.begin_import(connection, kind, source.sha256, source.size or 0, order.source or "")
    return Committed()


def _read_batch(source: Source, decoder: Decoder, most: int) -> Batch | None:
    records = source.take(most)
    if not records:
        return None
    filled = [record for record in records if not record.is_blank]
    skipped = len(records) - len(filled)
    return Batch(*decoder.decode(filled), skipped, source.offset, source.lines, source.position)


class _DryRun(Exception):
    """Raised to roll back a batch."""


async def _commit(connection: Connection, order: Order, batch: Batch, done: Committed, report: Report) -> None:
    try:
        async with connection.transaction():
            changed, not_stored = await _write(connection, order.declared, batch.rows)
            refused = sorted([*batch.refused, *not_stored], key=lambda one: one.line)
            report.add(refused)
            done.byte_offset, done.lines = batch.byte_offset, batch.lines
            done.changed += changed
            done.unchanged += len(batch.rows) - len(not_stored) - changed
            done.refused += len(refused)
            done.skipped += batch.skipped
            if order.dry_run:
                raise _DryRun
            await store.advance_import(connection, order.declared.kind, done)
    except _DryRun:
        return


async def _write(connection: Connection, declared: Import, rows: Sequence[NumberedRow]) -> tuple[int, list[Refused]]:
    """Write rows. Return how many changed, and the lines that cannot be stored. They are found by bisection."""
    if not rows:
        return 0, []
    try:
        async with connection.transaction():
            return await declared.write_batch(connection, [row for _, row in rows]), []
    except (*RowsRefused, Invalid, Conflict) as fault:
        if len(rows) == 1:
            return 0, [Refused(rows[0].line, fault.message if isinstance(fault, BalcaoError) else _NOT_STORED)]
    middle = len(rows) // 2
    first = await _write(connection, declared, rows[:middle])
    second = await _write(connection, declared, rows[middle:])
    return first[0] + second[0], first[1] + second[1]
