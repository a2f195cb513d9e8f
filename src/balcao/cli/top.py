"""`balcao top`: show what runs, waits and fails now, from the metrics of the running instance."""

import sys
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from balcao.cli.console import make_console, print_json

if TYPE_CHECKING:
    from balcao.operate.readings import MetricsSource, Picture, ProcessState, Queue, Reading, Traffic

console = make_console()
OLD_SECONDS = 60.0  # longer waits are shown as a problem
_LAGS = {"event": "eventos", "push": "mudanças próprias", "request": "pedidos"}


def top(
    once: Annotated[bool, typer.Option("--once", help="Mostra um só quadro e termina.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Um quadro, em JSON.")] = False,
    interval: Annotated[int, typer.Option(min=1, max=60, metavar="SEGUNDOS", help="Entre um quadro e o seguinte.")] = 2,
) -> None:
    """Mostra o que roda, espera e falha agora: chamadas, processos, conexões, tarefas, CRM."""
    from balcao.core import logs
    from balcao.operate.readings import MetricsSource, compare_readings
    from balcao.settings import Settings

    logs.configure("error")
    source = MetricsSource(Settings.load())
    with source.http:
        before = source.read()
        if as_json or once or not sys.stdout.isatty():
            time.sleep(interval)
            picture = compare_readings(before, source.read(), source.silent)
            if as_json:
                print_json(picture)
            else:
                console.print(draw(picture))
            return
        _follow(source, before, interval)


def _follow(source: "MetricsSource", before: "Reading", interval: int) -> None:
    """Redraw the tables until Ctrl-C."""
    from rich.live import Live

    from balcao.operate.readings import compare_readings

    waiting = Text(f"Lendo as métricas de {', '.join(source.addresses)}... Ctrl-C sai.")
    try:
        with Live(waiting, console=console, screen=True, auto_refresh=False) as live:
            while True:
                time.sleep(interval)
                now = source.read()
                live.update(draw(compare_readings(before, now, source.silent)), refresh=True)
                before = now
    except KeyboardInterrupt:
        return


def draw(picture: "Picture") -> Group:
    """Format the state as a summary and tables. Problems are red."""
    return Group(
        _draw_state(picture),
        _draw_traffic(picture.services),
        "",
        _draw_processes(picture.processes),
        "",
        _draw_queues(picture.queues),
    )


def _draw_state(picture: "Picture") -> Text:
    lag = ", ".join(f"{_LAGS.get(what, what)} {_age(s)}" for what, s in picture.crm_lag_seconds.items())
    steps = ", ".join(f"{phase} {progress:.0f} %" for phase, progress in picture.migration.items())
    lines = [
        ("Banco de dados: " + ("responde" if picture.database_up else "não responde"), not picture.database_up),
        (f"Tarefas que falharam de vez: {picture.dead_jobs}", picture.dead_jobs > 0),
        (f"Tarefa mais antiga à espera: {_age(picture.oldest_due_seconds)}", picture.oldest_due_seconds > OLD_SECONDS),
        (f"Distância do CRM: {lag or 'desconhecida'}", any(s > OLD_SECONDS for s in picture.crm_lag_seconds.values())),
        (f"Migração da busca: {steps or 'nenhuma'}", False),
        *((f"Em manutenção: {name}", True) for name in picture.maintenance),
        *((f"Não responde: {address}", True) for address in picture.silent),
    ]
    text = Text()
    for line, is_wrong in lines:
        text.append(f"{line}\n", style="red" if is_wrong else "")
    return text


def _draw_traffic(services: Iterable["Traffic"]) -> Table:
    table = _table("serviço", "chamadas/s", "erros 5xx", "p50 ms", "p95 ms", "p99 ms")
    for service in services:
        share = service.error_share
        table.add_row(
            service.service,
            f"{service.requests_per_second:.1f}",
            "-" if share is None else f"{share:.1%}",
            *("-" if ms is None else f"{ms:.1f}" for ms in (service.p50_ms, service.p95_ms, service.p99_ms)),
            style="red" if share else "",
        )
    return table


def _draw_processes(processes: Iterable["ProcessState"]) -> Table:
    table = _table("processo", "estado", "CPU", "memória", "conexões", "à espera de uma")
    for process in processes:
        table.add_row(
            process.name,
            "ativo" if process.beats else "sem sinal",
            f"{process.cpu:.0%}",
            f"{process.memory_bytes / 2**20:.0f} MiB",
            f"{process.connections_in_use:.0f} de {process.connections_limit:.0f}",
            f"{process.requests_waiting:.0f}",
            style="" if process.beats and not process.requests_waiting else "red",
        )
    return table


def _draw_queues(queues: Iterable["Queue"]) -> Table:
    table = _table("tarefa", "na fila", "em execução", "falharam", "a mais antiga")
    for queue in queues:
        numbers = (str(count) for count in (queue.queued, queue.running, queue.dead))
        table.add_row(queue.kind, *numbers, _age(queue.oldest_due_seconds), style="red" if queue.dead else "")
    return table


def _table(first: str, *numbers: str) -> Table:
    table = Table(first, box=None, pad_edge=False, header_style="bold", padding=(0, 3, 0, 0))
    for title in numbers:
        table.add_column(title, justify="right")
    return table


def _age(seconds: float) -> str:
    """Format a duration in seconds, in minutes and seconds, or in hours and minutes."""
    whole = int(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
