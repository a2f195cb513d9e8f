"""`python -m bench.search`: the public search while four writers edit, compared with Tantivy over the same services.

Tantivy is a search library in Rust, similar to Lucene. It runs in this process, without HTTP or writers, and represents
the engine that an operator might choose instead. The cheapest request shows how much of a search's CPU is HTTP. A
process that only reads the index shows how much memory the search needs.
"""

import asyncio
import contextlib
import json
import multiprocessing
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
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
# The servers share this data folder, like the processes of a host.
DATA = "data"
LIVENESS = "liveness"
console = Console(stderr=True)


@dataclass(frozen=True)
class Figures:
    """The figures of one engine.

    Times are milliseconds per query, and `memory` is in megabytes. `first` is the number of queries that found their
    service first, or None if it was not counted.
    """

    p50: float
    p95: float
    cpu: float
    memory: float
    first: int | None


# Returns the name of the first service that a query finds.
Ask = Callable[[str], str | None]


def bench(
    count: Annotated[int, typer.Option("--services", min=1000, help="Serviços no catálogo.")] = 100_000,
    rounds: Annotated[int, typer.Option(min=1, max=40, help="Vezes que cada busca é feita.")] = 20,
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
            console.print(f"Memória a mais de um processo que busca: {_measure_reader(url, folder, rounds):.0f} MB")
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
    data = str(folder / DATA)
    with (
        serving(OURS, folder, url, "search", "/search", ready=LIVENESS, BALCAO_DATA_DIR=data) as (port, server),
        httpx.Client(base_url=f"http://127.0.0.1:{port}/search/") as client,
    ):
        _wait_for_index(client, server)
        ask = _make_ask(client)

        def ask_for_nothing(_: str) -> None:
            client.get(LIVENESS, timeout=10).raise_for_status()

        def processes() -> list[psutil.Process]:
            return list_family(server, database)

        floor = replace(_measure(ask_for_nothing, processes, rounds), first=None)
        quiet = _measure(ask, processes, rounds)
        with _writing(url) as written:
            busy = _measure(ask, processes, rounds)
        console.print(f"Gravações durante a medida: {written()}")
        return {"GET mais barato": floor, "Balcão": quiet, f"Balcão, {WRITERS} editores": busy}


def _make_ask(client: httpx.Client) -> Ask:
    """Return a function that searches this server over HTTP."""
    asked: Counter[str] = Counter()

    def ask(query: str) -> str | None:
        # The search ignores blanks. A different number of blanks in each query bypasses the response cache.
        asked[query] += 1
        parameters = {"q": query.replace(" ", " " * asked[query], 1)}
        results = client.get("api/v1/search", params=parameters, timeout=10).raise_for_status().json()["results"]
        return results[0]["title"] if results else None

    return ask


def _wait_for_index(client: httpx.Client, server: psutil.Process) -> None:
    """Wait until the server has built its index, and print how long that took."""
    began, spent = time.monotonic(), 0.0
    while client.get("readiness", timeout=10).status_code != httpx.codes.OK:
        if time.monotonic() - began > LONGEST_BUILD:
            raise TimeoutError("the search has no index")
        spent = max(spent, cpu_seconds(list_family(server)))  # includes the indexing process, which then ends
        time.sleep(0.05)
    console.print(f"Índice pronto depois de {time.monotonic() - began:.1f} s, com {spent:.1f} s de CPU")


def _measure_reader(url: str, folder: Path, rounds: int) -> float:
    """Return how many megabytes of private memory a process gains by searching an index that another one built."""
    data = str(folder / DATA)
    with (
        serving(OURS, folder, url, "search", "/search", BALCAO_DATA_DIR=data) as (_, writer),
        serving(OURS, folder, url, "search", "/search", ready=LIVENESS, BALCAO_DATA_DIR=data) as (port, reader),
        httpx.Client(base_url=f"http://127.0.0.1:{port}/search/") as client,
    ):
        before = _sum_private(list_family(reader))
        _measure(_make_ask(client), lambda: [writer, reader], rounds)
        return _sum_private(list_family(reader)) - before


def _sum_private(processes: Iterable[psutil.Process]) -> float:
    """Return the private memory of these processes in megabytes."""
    return float(sum(each.memory_full_info().uss for each in processes)) / 1e6


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
    """Run four writers at full rate in another process. Yield a function that returns the number of writes so far."""
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
    for name in ("p50 ms", "p95 ms", "CPU ms/busca", "x Tantivy", "MB", "primeiras certas"):
        table.add_column(name, justify="right")
    for who, each in results.items():
        table.add_row(
            who,
            f"{each.p50:.1f}",
            f"{each.p95:.1f}",
            f"{each.cpu:.2f}",
            f"{each.cpu / results['Tantivy'].cpu:.1f}",
            f"{each.memory:.0f}",
            "" if each.first is None else str(each.first),
        )
    Console().print(table)


if __name__ == "__main__":
    typer.run(bench)
