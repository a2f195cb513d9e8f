"""`python -m bench.own_calls`: what it costs to record a client's calls in memory, and to write them to the database.

In one process, an application with the call log and an application without it alternately record the same call many
times. Then the recorded calls are written to a database that is durable as in production, one full batch at a time.
"""

import asyncio
import contextlib
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from balcao.core.database.pool import Database
from balcao.core.errors import Forbidden
from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response
from balcao.core.live.call_log import MOST_CALLS, CallLog
from balcao.gateway.application import Application
from balcao.gateway.gateway import Gateway, Mount
from balcao_sandbox.postgresql import supervisor
from bench import cores
from bench.stage import OURS, run_command

CALLS = 50_000
OWNER = ("https://identidade.example", "portal-cidadao")
console = Console(highlight=False, width=100)


@contextlib.asynccontextmanager
async def never_opened() -> AsyncIterator[None]:
    """Open nothing. A gateway enters this context before it starts to listen, but this gateway never listens."""
    yield


def make_application(calls: CallLog | None) -> Application:
    """Return an application without any endpoint."""
    return Application(Gateway([], Mount("gateway", "", [], lambda _: ERROR_TEXT), never_opened), calls=calls)


def record_often(application: Application, response: Response[bytes], status: int) -> float:
    """Return the CPU time of this thread for recording one call, in nanoseconds."""
    endpoint = PageEndpoint("registry", "registry.read_preferences", "GET", lambda _: response, lambda *_: response)
    request = Request("GET", b"/")
    request.client_key = OWNER
    request.is_added_up = True  # without the log line, which costs the same either way
    began = time.thread_time_ns()
    for _ in range(CALLS):
        application.record(endpoint, request, response, status)
    return (time.thread_time_ns() - began) / CALLS


def measure_noting(database: Database, rounds: int) -> dict[str, list[tuple[float, float]]]:
    """Return nanoseconds per round for a success and a refusal, without and with the call log."""
    without, noting = make_application(None), make_application(CallLog(database))
    answers = {"200": (Response(b"{}"), 200), "403": (ERROR_TEXT.response(Forbidden("Não.")), 403)}
    found: dict[str, list[tuple[float, float]]] = {name: [] for name in answers}
    for _ in range(rounds + 1):  # the extra round only warms up
        for name, (response, status) in answers.items():
            found[name].append((record_often(without, response, status), record_often(noting, response, status)))
    return {name: pairs[1:] for name, pairs in found.items()}


async def measure_writing(database: Database, rounds: int) -> list[tuple[float, float]]:
    """Return the microseconds to write a call, for each round: this process's CPU time and the elapsed time."""
    await database.open()
    found = []
    try:
        for number in range(rounds + 1):
            log = CallLog(database)
            for call in range(MOST_CALLS):
                log.add(OWNER, "registry.read_preferences", 200, None, f"{number}-{call}", 0.001)
            began, used = time.perf_counter(), time.process_time()
            await log.flush()
            found.append(
                ((time.process_time() - used) * 1e6 / MOST_CALLS, (time.perf_counter() - began) * 1e6 / MOST_CALLS)
            )
    finally:
        await database.close()
    return found[1:]


def show(noting: dict[str, list[tuple[float, float]]], writing: Sequence[tuple[float, float]]) -> None:
    """Print the medians, and the smallest and largest difference between adjacent rounds."""
    table = Table("ns por chamada", "sem", "com", "diferença")
    for name, pairs in noting.items():
        off, on = (statistics.median(column) for column in zip(*pairs, strict=True))
        differences = sorted(on - off for off, on in pairs)
        spread = f"{statistics.median(differences):.0f} ({differences[0]:.0f} a {differences[-1]:.0f})"
        table.add_row(f"resposta {name}", f"{off:.0f}", f"{on:.0f}", spread)
    console.print(table)
    cpu, whole = (statistics.median(column) for column in zip(*writing, strict=True))
    console.print(
        f"Gravar um lote de {MOST_CALLS}: {cpu:.1f} us de CPU do processo e {whole:.1f} us ao todo por chamada."
    )


def bench(rounds: Annotated[int, typer.Option(min=1, help="Rodadas.")] = 9) -> None:
    """Mede quanto custa anotar as chamadas de um cliente, e quanto custa gravá-las."""
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        with supervisor.start(folder) as running, cores.running_on(cores.SERVER):
            url = running.server.url
            run_command(OURS.command("migrate"), OURS.environment(folder / "commands", url, OWNER[0]))
            noting = measure_noting(Database(url), rounds)
            show(noting, asyncio.run(measure_writing(Database(url), rounds)))


if __name__ == "__main__":
    typer.run(bench)
