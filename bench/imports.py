"""`python -m bench.imports`: the CPU time of imports per row, for new and repeated rows, compared with COPY.

For each kind, the benchmark imports a file of invented rows as the operator's command does. The CPU time includes the
importing process, and PostgreSQL with its background processes. CPU time is comparable between machines, unlike wall
time.
"""

import asyncio
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import asyncpg
import msgspec
import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.core.imports import opening, service
from balcao.core.imports.service import Order
from balcao.operate.imports import freeze_gc
from balcao.settings import Settings
from balcao_sandbox.demo.registry import invented
from balcao_sandbox.postgresql import supervisor
from bench import import_files
from bench.processes import cpu_seconds, list_family
from tests.support.operator_calls import Act, acting

console = Console(highlight=False, width=120)
MICROSECONDS = 1_000_000
CITIZENS = "citizens"
SERVICES = "services"


class Cost(NamedTuple):
    """The CPU time per row, in microseconds, that the command and PostgreSQL need."""

    command: float
    server: float

    @property
    def whole(self) -> float:
        return self.command + self.server


class Meter:
    """A meter for the CPU time of this process and of PostgreSQL, including PostgreSQL's ended processes."""

    def __init__(self, postmaster: psutil.Process) -> None:
        self._postmaster = postmaster

    def read(self) -> tuple[float, float]:
        """Return the CPU seconds of this process and of PostgreSQL.

        If a process ends during the reading, read everything again, because the time of that process would be missing.
        """
        while True:
            ended = self._read_ended()
            running = cpu_seconds(list_family(self._postmaster))
            if self._read_ended() == ended:
                return time.process_time(), ended + running

    def _read_ended(self) -> float:
        times = self._postmaster.cpu_times()
        return float(times.children_user + times.children_system)

    def measure(self, act: Callable[[], None], rows: int) -> Cost:
        command, server = self.read()
        act()
        now = self.read()
        return Cost((now[0] - command) / rows * MICROSECONDS, (now[1] - server) / rows * MICROSECONDS)


def measure_kinds(url: str, folder: Path, meter: Meter, scale: float, chosen: Sequence[str]) -> dict[str, list[Cost]]:
    """Return the cost of each kind, for new and for repeated rows."""
    found = {}
    with acting(Settings(data_dir=folder / "acting"), url, "bench.import", bare=True) as act:
        for each in import_files.FILES:
            rows = max(1, int(each.rows * scale))
            if each.is_measured and chosen and each.kind not in (CITIZENS, *chosen):
                continue
            rows = rows if each.is_measured else each.rows
            file = write_lines(folder / f"{each.kind}.jsonl", each.make(rows))
            costs = []
            for _ in range(2):
                execute(url, "CHECKPOINT")
                freeze_gc()
                costs.append(meter.measure(partial(load, act, each, file, rows), rows))
            if each.is_measured:
                found[each.kind] = costs
    return found


def load(act: Act, wanted: import_files.File, file: Path, rows: int) -> None:
    """Import the file as the command does. Exit unless every row was accepted."""
    kind = wanted.service.imports[wanted.kind]
    with opening.open_source(file) as lines:
        done = act(service.run_import, lines, Order(kind), lambda *_: None).done
    if (done.changed + done.unchanged, done.refused) != (rows, 0):
        raise SystemExit(f"{wanted.kind}: {done}")


def write_lines(file: Path, rows: Iterable[Any]) -> Path:
    file.write_bytes(b"".join(msgspec.json.encode(row) + b"\n" for row in rows))
    return file


def measure_copy(url: str, meter: Meter, rows: int) -> Cost:
    """Return the cost per citizen of PostgreSQL's own COPY. Its input already has the table's columns."""
    lines = (_encode_columns(row) for row in invented.make_citizens(rows, FIRST_COPIED))
    content = b"".join(lines)
    execute(url, "CREATE TABLE registry.copied (LIKE registry.base_record INCLUDING ALL); CHECKPOINT")
    return meter.measure(lambda: asyncio.run(_copy(url, content)), rows)


# The first copied citizen's number. It is greater than the numbers of all imported citizens.
FIRST_COPIED = 1_000_001
WALLET = ("documentos", "saude", "assistencia_social", "educacao")


def _encode_columns(row: Any) -> bytes:
    """Return the citizen as a line in COPY's text format."""
    record = msgspec.to_builtins(row)
    wallet = {
        name: record.pop(name) for name in ("documentos", "saude", "assistencia_social", "educacao") if name in record
    }
    columns = (row.cpf.encode(), msgspec.json.encode(record), msgspec.json.encode(wallet), b"bench")
    return b"\t".join(column.replace(b"\\", b"\\\\") for column in columns) + b"\n"


async def _copy(url: str, content: bytes) -> None:
    async def blocks() -> Any:
        for at in range(0, len(content), 1 << 16):
            yield content[at : at + (1 << 16)]

    connection = await asyncpg.connect(url)
    try:
        await connection.copy_to_table(
            "copied", schema_name="registry", source=blocks(), columns=["cpf", "record", "wallet", "source"]
        )
    finally:
        await connection.close()


# The tables that an import writes, for the kinds of rows that cost the server most. The first table gets one row for
# each imported line. The search's table name varies, so a query finds it.
WRITTEN = {
    "jobs": tuple(f"employability.{name}" for name in ("job", "job_step", "job_question", "job_event")),
    SERVICES: ("SELECT 'search.' || physical FROM search.search_collection WHERE name = 'services'",),
}
_OWN_COLUMNS = """
SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
WHERE attrelid = '{}'::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' AND attidentity <> 'a'
"""


def measure_floor(url: str, meter: Meter, written: Sequence[str]) -> float:
    """Return the server's cost per row for bare INSERTs into tables with the same generated columns and indexes.

    The rows come from the tables that the import filled. There are no triggers and foreign keys, so no import can cost
    less.
    """
    copies, rows = [], 0
    for number, name in enumerate(written):
        table = asyncio.run(_fetch(url, name)) if name.startswith("SELECT") else name
        columns = asyncio.run(_fetch(url, _OWN_COLUMNS.format(table)))
        copy = f"{table.partition('.')[0]}.floor_{number}"
        execute(url, f"CREATE TABLE {copy} (LIKE {table} INCLUDING ALL)")
        copies.append(f"INSERT INTO {copy} ({columns}) SELECT {columns} FROM {table}")  # noqa: S608 - our names
        rows = rows or asyncio.run(_fetch(url, f"SELECT count(*) FROM {table}"))  # noqa: S608
    execute(url, "CHECKPOINT")
    return meter.measure(partial(execute, url, "; ".join(copies)), rows).server


async def _fetch(url: str, statement: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


def execute(url: str, statement: str) -> None:
    async def run() -> None:
        connection = await asyncpg.connect(url)
        try:
            for each in statement.split(";"):
                await connection.execute(each)
        finally:
            await connection.close()

    asyncio.run(run())


def show(found: dict[str, list[Cost]], copied: Cost) -> None:
    table = Table(
        "µs of CPU per row", "new: command", "PostgreSQL", "ratio", "repeated: command", "PostgreSQL", "ratio"
    )
    base = found[CITIZENS]
    for kind, (new, again) in found.items():
        figures = (new.command, new.server, again.command, again.server)
        shown = [f"{figure:,.0f}" for figure in figures]
        times = [f"{cost.whole / of.whole:.2f}" for cost, of in zip((new, again), base, strict=True)]
        table.add_row(kind, *shown[:2], times[0], *shown[2:], times[1])
    table.add_row("citizens with COPY", f"{copied.command:,.0f}", f"{copied.server:,.0f}", "", "", "", "")
    console.print(table)
    new = base[0]
    console.print(
        f"Citizens compared with COPY: command {new.command / copied.whole:.2f}, total {new.whole / copied.whole:.2f}"
    )


def main(
    kinds: Annotated[list[str] | None, typer.Argument(help="Kinds to measure besides citizens. Default: all.")] = None,
    scale: Annotated[float, typer.Option(min=0.01, help="Factor for the usual number of rows.")] = 1.0,
) -> None:
    """Print the cost per row of each kind."""
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with supervisor.start(folder / "data") as running:
            url = running.server.url
            postmaster = psutil.Process(int((running.server.data_dir / "postmaster.pid").read_text().split()[0]))
            app.migrate_now(url)
            # Disable autovacuum, because its work would count as part of the running import.
            execute(url, "ALTER SYSTEM SET autovacuum = off; SELECT pg_reload_conf()")
            meter = Meter(postmaster)
            copied = measure_copy(url, meter, int(10_000 * scale))
            found = measure_kinds(url, folder, meter, scale, kinds or ())
            show(found, copied)
            for kind, written in WRITTEN.items():
                if kind in found:
                    floor = measure_floor(url, meter, written)
                    times = floor / found[CITIZENS][0].whole
                    console.print(
                        f"Lower bound of {kind}: {floor:,.0f} µs of PostgreSQL per row, {times:.2f} times a citizen"
                    )


if __name__ == "__main__":
    typer.run(main)
