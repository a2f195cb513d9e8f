"""`python -m bench.search`: the public search while four writers edit, compared with Tantivy over the same services.

Tantivy is a search library in Rust, similar to Lucene. It runs in this process, without HTTP or writers, and represents
the engine that an operator might choose instead.
"""

import asyncio
import contextlib
import json
import multiprocessing
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Annotated

import asyncpg
import httpx
import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.core.context.platform import Platform
from balcao.search.services import service as services
from balcao.settings import Settings
from balcao_sandbox.postgresql import supervisor
from bench import catalogue, other_engine
from bench.processes import cpu_seconds, list_family
from bench.servers import serving
from bench.stage import OURS
from tests.search.judged import list_targets, read_queries
from tests.search.support import act_as_staff, body
from tests.support.operator_calls import acting

WRITERS = 4
WARM_UP = 2
# The time limit, in seconds, for building the index. An index of 100,000 services takes about half a minute.
LONGEST_BUILD = 300
console = Console(stderr=True)


@dataclass(frozen=True)
class Figures:
    """The figures of one engine.

    Times are in milliseconds per query, and `memory` is in megabytes. `first` is the number of queries
    that found their service first.
    """

    p50: float
    p95: float
    cpu: float
    memory: float
    first: int


# Returns the name of the first service for a query.
Ask = Callable[[str], str | None]


def bench(
    count: Annotated[int, typer.Option("--services", min=1000, help="Serviços no catálogo.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, help="Vezes que cada busca é feita.")] = 5,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede as buscas julgadas com quatro editores gravando, e as mesmas em outro motor."""
    documents = [*catalogue.make_services(count), *list_targets()]
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with supervisor.start(folder) as running:
            url = running.server.url
            prepare(url, documents)
            database = psutil.Process(int((running.server.data_dir / "postmaster.pid").read_text().split()[0]))
            results = _measure_ours(url, folder, database, rounds)
        results["Tantivy"] = _measure_other(folder, documents, rounds)
    _show(results, len(documents))
    if as_json:
        figures = {side: vars(measured) for side, measured in results.items()}
        as_json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")


def prepare(url: str, documents: Sequence[dict[str, object]]) -> None:
    """Add the missing services to the catalogue."""
    with console.status("Preparando o catálogo"):
        app.migrate_now(url)
        asyncio.run(_fill(url, documents))


async def _fill(url: str, documents: Sequence[dict[str, object]]) -> None:
    connections = [await asyncpg.connect(url) for _ in range(2)]
    physical = await connections[0].fetchval("SELECT physical FROM search.search_collection")
    known = {str(row["id"]) for row in await connections[0].fetch("SELECT id FROM search.service_head")}
    documents = [each for each in documents if each["id"] not in known]
    heads = [(each["id"], 2) for each in documents]
    await connections[0].executemany(
        "INSERT INTO search.service_head (id, next_version, created_at) VALUES ($1, $2, now())", heads
    )
    # The columns of the row. The table derives all other columns.
    insert = f"INSERT INTO search.{physical} (id, doc, carried, version) VALUES ($1, $2::jsonb, '{{}}', 1)"  # noqa: S608
    rows = [(each["id"], json.dumps(each)) for each in documents]
    await asyncio.gather(*(each.executemany(insert, rows[at::2]) for at, each in enumerate(connections)))
    await connections[0].execute("VACUUM ANALYZE")
    for each in connections:
        await each.close()


def _measure_ours(url: str, folder: Path, database: psutil.Process, rounds: int) -> dict[str, Figures]:
    with serving(OURS, folder, url, "search", "/search") as (port, server), httpx.Client() as client:
        address = f"http://127.0.0.1:{port}/search/api/v1/search"
        _wait_for_index(client, f"http://127.0.0.1:{port}/search/readiness")
        asked: Counter[str] = Counter()

        def ask(query: str) -> str | None:
            # The search ignores stop words. Another number of them in each query keeps responses out of the cache.
            asked[query] += 1
            parameters = {"q": f"{'de ' * asked[query]}{query}"}
            results = client.get(address, params=parameters, timeout=10).raise_for_status().json()["results"]
            return results[0]["title"] if results else None

        def processes() -> list[psutil.Process]:
            return list_family(server, database)

        quiet = _measure(ask, processes, rounds)
        with _writing(url) as written:
            busy = _measure(ask, processes, rounds)
        console.print(f"Gravações durante a medida: {written()}")
        return {"Balcão": quiet, f"Balcão, {WRITERS} editores": busy}


def _wait_for_index(client: httpx.Client, address: str) -> None:
    """Wait until the process has built its index, and show how long that took."""
    began = time.monotonic()
    while client.get(address, timeout=10).status_code != httpx.codes.OK:
        if time.monotonic() - began > LONGEST_BUILD:
            raise TimeoutError("the search has no index")
        time.sleep(0.05)
    console.print(f"Índice pronto depois de {time.monotonic() - began:.1f} s")


def _measure_other(folder: Path, documents: Sequence[dict[str, object]], rounds: int) -> Figures:
    process = psutil.Process()
    before = process.memory_info().rss / 1e6
    find = other_engine.open_index(folder / "tantivy", documents)
    measured = _measure(lambda query: next(iter(find(query)), None), lambda: [process], rounds)
    return Figures(measured.p50, measured.p95, measured.cpu, measured.memory - before, measured.first)


def _measure(ask: Ask, processes: Callable[[], list[psutil.Process]], rounds: int) -> Figures:
    judged = read_queries()
    for query, _ in judged * WARM_UP:
        ask(query)
    before = cpu_seconds(processes())
    times: list[float] = []
    for query, _ in judged * rounds:
        began = time.perf_counter()
        ask(query)
        times.append((time.perf_counter() - began) * 1000)
    spent = (cpu_seconds(processes()) - before) * 1000 / len(times)
    memory = sum(each.memory_info().rss for each in processes()) / 1e6
    first = sum(ask(query) == expected for query, expected in judged)
    return Figures(statistics.median(times), statistics.quantiles(times, n=20)[-1], spent, memory, first)


@contextlib.contextmanager
def _writing(url: str) -> Iterator[Callable[[], int]]:
    """Run four writers at full rate in another process. Yield a function that returns the number of writes."""
    context = multiprocessing.get_context("spawn")
    stop, written = context.Event(), context.Value("i", 0)
    process = context.Process(target=_write, args=(url, stop, written), daemon=True)
    process.start()
    try:
        while not written.value and process.is_alive():
            time.sleep(0.1)
        yield lambda: written.value
    finally:
        stop.set()
        process.join(60)


def _write(url: str, stop: Event, written: "multiprocessing.sharedctypes.Synchronized[int]") -> None:
    async def edit(platform: Platform, number: int) -> None:
        call = act_as_staff(platform)
        ids = [each["id"] for each in catalogue.make_services(2000)][number::WRITERS]
        for turn in range(10**9):
            for service_id in ids:
                if stop.is_set():
                    return
                await services.update_service(call, service_id, body(resumo=f"Edição {turn} do resumo.", status=1))
                with written.get_lock():
                    written.value += 1

    async def edit_all(platform: Platform) -> None:
        await asyncio.gather(*(edit(platform, number) for number in range(WRITERS)))

    with tempfile.TemporaryDirectory() as name, acting(Settings(data_dir=Path(name)), url, "bench.search") as act:
        act(lambda call: edit_all(call.platform))


def _show(results: dict[str, Figures], count: int) -> None:
    table = Table("quem", title=f"{len(read_queries())} buscas em {count} serviços")
    for name in ("p50 ms", "p95 ms", "CPU ms/busca", "MB", "primeiras certas"):
        table.add_column(name, justify="right")
    for who, each in results.items():
        table.add_row(
            who, f"{each.p50:.1f}", f"{each.p95:.1f}", f"{each.cpu:.1f}", f"{each.memory:.0f}", str(each.first)
        )
    Console().print(table)


if __name__ == "__main__":
    typer.run(bench)
