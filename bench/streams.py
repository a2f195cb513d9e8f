"""`python -m bench.streams`: measures the response with the whole city's risk, and a thousand clients that listen.

The listeners are connections of this process, from several loopback addresses because each address may open only a
limited number. The writer is another process of the platform.
"""

import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import psutil
import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.core.context.call import Call
from balcao.core.values.cnes import Cnes
from balcao.health_units.feed.streams import MOST_OF_PORTAL, MOST_OF_PROCESS
from balcao.health_units.notifications import service as notifications
from balcao.health_units.notifications.schemas import CloseBody, OpenBody
from balcao.health_units.records import Tipo
from balcao.health_units.situation import Risco
from balcao.health_units.units import service as units
from balcao.health_units.units.schemas import UnitBody
from balcao.settings import Settings
from balcao_sandbox.postgresql import supervisor
from bench import load
from bench.servers import serving
from bench.stage import OURS
from tests.support.issuer import Issuer
from tests.support.operator_calls import Act, acting

PORTAL = "painel-saude"
SNAPSHOT, STREAM = "/health-units/unidades/risco", "/health-units/unidades/eventos"
CONNECTIONS = 32
# The first changes do not count, because their connections and statements are not prepared yet.
WARM_UP = 2
# Before the measurement, one in this many units has an active notification.
EVERY = 10
console = Console(stderr=True)


@dataclass(frozen=True)
class Figures:
    """The measured figures.

    The rate is in requests per second. Latencies and delays are in milliseconds. `kilobytes` is the server's memory per
    listener.
    """

    snapshot_rate: float
    snapshot_p50: float
    snapshot_p99: float
    snapshot_bytes: int
    listeners: int
    kilobytes: float
    delay_p50: float
    delay_p99: float
    delay_max: float


def bench(
    count: Annotated[int, typer.Option("--listeners", min=1, help="Fluxos abertos.")] = 1000,
    unit_count: Annotated[int, typer.Option("--units", min=1, max=9000, help="Unidades de saúde.")] = 300,
    changes: Annotated[int, typer.Option(min=1, help="Mudanças que cada fluxo recebe.")] = 40,
    seconds: Annotated[float, typer.Option(min=0.1, help="Duração da medida do retrato.")] = 5.0,
    as_json: Annotated[Path | None, typer.Option("--json", help="Escreve também este arquivo.")] = None,
) -> None:
    """Mede o retrato do risco de todas as unidades, e a memória e o atraso dos fluxos de eventos."""
    issuer = Issuer()
    with tempfile.TemporaryDirectory(prefix="balcao-bench-") as name, contextlib.ExitStack() as stack:
        stack.callback(issuer.close)
        folder = Path(name)
        folder.chmod(0o755)  # as root, PostgreSQL runs as another user and needs access
        url = stack.enter_context(supervisor.start(folder)).server.url
        app.migrate_now(url)
        settings = Settings(data_dir=folder, auth_issuer=issuer.address)
        act = stack.enter_context(acting(settings, url, "bench.write"))
        codes = [Cnes(f"{number:07}") for number in range(1, unit_count + 1)]
        act(_register, codes)
        servers = [
            stack.enter_context(
                serving(
                    OURS,
                    folder,
                    url,
                    "health_units",
                    "/health-units",
                    issuer.address,
                    BALCAO_RISK_PORTAL_CLIENTS=PORTAL,
                )
            )
            for _ in range(-(-count // MOST_OF_PROCESS))
        ]
        token = issuer.machine(PORTAL, "sms:read").encode()
        snapshot, length = _measure_snapshot(servers[0][0], token, seconds)
        figures = asyncio.run(_measure_streams(servers, token, act, codes, (count, changes)))
    result = Figures(snapshot.answers / snapshot.seconds, snapshot.p50, snapshot.p99, length, count, *figures)
    _show(result, unit_count)
    if as_json:
        as_json.write_text(json.dumps(asdict(result), indent=2) + "\n")


async def _register(call: Call, codes: Sequence[Cnes]) -> None:
    for number, cnes in enumerate(codes):
        await units.put_unit(call, cnes, UnitBody(nome=f"Unidade {number}", tipo=Tipo.CF))
        if number % EVERY == 0:
            await notifications.open_notification(call, cnes, OpenBody(risco=Risco.AMARELO))


def _request(path: str, token: bytes) -> bytes:
    return b"GET %s HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer %s\r\n\r\n" % (path.encode(), token)


def _measure_snapshot(port: int, token: bytes, seconds: float) -> tuple[load.Result, int]:
    """Return the load generator's result for responses with the whole city, and the length of such a response."""
    order = load.Order(port, CONNECTIONS, seconds, 200, [_request(SNAPSHOT, token)], [b'"sequencia"'])
    result, _ = load.run([sys.executable, "-m", "bench.loader"], order)
    assert not result.wrong, result.example
    return result, asyncio.run(_read_length(port, token))


async def _read_length(port: int, token: bytes) -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(_request(SNAPSHOT, token))
    head = await reader.readuntil(b"\r\n\r\n")
    writer.close()
    return int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])


async def _measure_streams(
    servers: Sequence[tuple[int, psutil.Process]], token: bytes, act: Act, codes: Sequence[Cnes], size: tuple[int, int]
) -> tuple[float, float, float, float]:
    """Return the kilobytes per listener, and the events' median, 99th percentile and maximum delay in ms.

    A delay lasts from the writing call to the event's arrival at a listener, so it includes the write.
    """
    count, changes = size
    before = _measure_memory(servers)
    arrivals: list[float] = []
    readers = [await _listen(servers[number // MOST_OF_PROCESS][0], token, number) for number in range(count)]
    kilobytes = (_measure_memory(servers) - before) / count / 1024
    delays: list[float] = []
    for number, change in enumerate(_iterate_changes(codes, changes + WARM_UP)):
        arrivals = []
        waiting = asyncio.gather(*(_wait_for_event(reader, arrivals) for reader in readers))
        started = time.perf_counter()
        await asyncio.to_thread(act, change)
        await waiting
        if number >= WARM_UP:
            delays += [1000 * (arrived - started) for arrived in arrivals]
    return kilobytes, statistics.median(delays), statistics.quantiles(delays, n=100)[98], max(delays)


def _measure_memory(servers: Sequence[tuple[int, psutil.Process]]) -> int:
    return sum(
        each.memory_info().rss for _, process in servers for each in [process, *process.children(recursive=True)]
    )


async def _listen(port: int, token: bytes, number: int) -> asyncio.StreamReader:
    """Open a stream from a local address that may still open one."""
    address = f"127.0.1.{number // MOST_OF_PORTAL % 250 + 1}"
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(_request(STREAM, token))
    await reader.readuntil(b"retry: 3000\n\n")
    _open.append(writer)  # a reference, so that garbage collection does not close it
    return reader


_open: list[asyncio.StreamWriter] = []


async def _wait_for_event(reader: asyncio.StreamReader, arrivals: list[float]) -> None:
    while b"event: " not in await reader.readuntil(b"\n\n"):
        pass
    arrivals.append(time.perf_counter())


def _iterate_changes(codes: Sequence[Cnes], count: int) -> Iterator[Callable[[Call], Awaitable[Any]]]:
    """Yield calls that alternately open and close a notification of the unit. Each call causes one event."""
    quiet = [cnes for number, cnes in enumerate(codes) if number % EVERY] or codes
    for number in range(count):
        cnes = quiet[number // 2 % len(quiet)]
        yield (_close if number % 2 else _open_one)(cnes)


def _open_one(cnes: Cnes) -> Callable[[Call], Awaitable[Any]]:
    return lambda call: notifications.open_notification(call, cnes, OpenBody(risco=Risco.VERMELHO))


def _close(cnes: Cnes) -> Callable[[Call], Awaitable[Any]]:
    async def close(call: Call) -> None:
        present = await notifications.read_latest_notification(call, cnes)
        assert present is not None
        await notifications.close_notification(call, cnes, present.id, CloseBody())

    return close


def _show(figures: Figures, unit_count: int) -> None:
    table = Table("Medida", "Valor")
    table.add_row(
        f"Retrato de {unit_count} unidades ({figures.snapshot_bytes} bytes), por segundo",
        f"{figures.snapshot_rate:,.0f}",
    )
    table.add_row("... p50, p99 em ms", f"{figures.snapshot_p50:.1f}, {figures.snapshot_p99:.1f}")
    table.add_row(f"Memória de cada um de {figures.listeners} fluxos, em kB", f"{figures.kilobytes:.1f}")
    shown = f"{figures.delay_p50:.0f}, {figures.delay_p99:.0f}, {figures.delay_max:.0f}"
    table.add_row("Da escrita ao evento, p50, p99 e máximo em ms", shown)
    console.print(table)


if __name__ == "__main__":
    typer.run(bench)
