"""`balcao jobs`: what waits in the queue and what failed there."""

import functools
from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from balcao import app
from balcao.cli.using import print_json, saying, use
from balcao.core import queue, schedule
from balcao.core.call import Call
from balcao.core.database import Connection
from balcao.core.text import clean

jobs = typer.Typer(no_args_is_help=True, help="Tarefas em fila: listar, ver, repetir, descartar.")
console = Console(highlight=False)


class State(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    FAILED = "failed"


WORDS = {"waiting": "espera", "running": "em execução", "failed": "falhou"}
Json = Annotated[bool, typer.Option("--json", help="Em JSON.")]
Reason = Annotated[str, typer.Option(help="Por quê; fica na trilha de auditoria.")]
Number = Annotated[int, typer.Argument(help="O número da tarefa, como em `balcao jobs list`.")]


@jobs.command("list")
def list_jobs(
    state: Annotated[list[State] | None, typer.Option(help="Só as deste estado; pode repetir.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Só as deste tipo; pode repetir.")] = None,
    limit: Annotated[int, typer.Option(min=1, max=1000)] = 100,
    offset: Annotated[int, typer.Option(min=0)] = 0,
    as_json: Json = False,
) -> None:
    """Lista as tarefas que esperam, que estão em execução ou que falharam."""
    states: Any = [one.value for one in state or ()]
    found = _with_queue(lambda connection, _: queue.listed(connection, states, kind or (), limit=limit, offset=offset))
    if as_json:
        print_json(found)
        return
    table = Table("número", "tipo", "estado", "tentativas", "próxima tentativa", "ids")
    for job in found:
        due = "" if job.state == "failed" else f"{job.due:%Y-%m-%d %H:%M:%S %Z}"
        table.add_row(str(job.id), job.kind, WORDS[job.state], str(job.tries), due, _ids(job))
    console.print(table if found else "A fila está vazia.")


@jobs.command("show")
def show_job(number: Number, as_json: Json = False) -> None:
    """Mostra uma tarefa e a sua história; de uma falha, só o código."""
    job, events = _with_queue(lambda connection, _: queue.read(connection, number))
    if as_json:
        print_json({"job": job, "events": events})
        return
    console.print(f"Tarefa {job.id}: {job.kind}, {WORDS[job.state]}, {job.tries} tentativas", _ids(job), markup=False)
    table = Table("quando", "passo", "código")
    for event in events:
        table.add_row(f"{event.at:%Y-%m-%d %H:%M:%S %Z}", event.state, event.code or "")
    console.print(table)


@jobs.command("retry")
def retry_job(numbers: Annotated[list[int], typer.Argument(help="Números de tarefas que falharam.")]) -> None:
    """Põe tarefas que falharam de novo na fila, com todas as tentativas."""
    for number in numbers:
        _with_queue(functools.partial(_retry, number))
        console.print(f"Tarefa {number}: de volta à fila.")


async def _retry(number: int, connection: Connection, _: Call) -> None:
    await queue.retry(connection, number)


@jobs.command("drop")
def drop_job(number: Number, reason: Reason) -> None:
    """Descarta uma tarefa que ninguém mais deve fazer."""
    why = saying(lambda: clean("reason", reason, shortest=3, longest=500))
    _with_queue(lambda connection, call: queue.drop(connection, _because(call, why), number))
    console.print(f"Tarefa {number}: descartada.")


@jobs.command("recurring")
def list_recurring(as_json: Json = False) -> None:
    """Lista o que o worker faz de tempos em tempos (horários em UTC)."""
    found = _with_queue(lambda connection, _: schedule.listed(connection, app.all_jobs()))
    if as_json:
        print_json(found)
        return
    table = Table("tipo", "horário (cron)", "última vez", "próxima vez")
    for one in found:
        table.add_row(one.kind, one.cron, *(f"{at:%Y-%m-%d %H:%M:%S %Z}" if at else "" for at in (one.last, one.next)))
    console.print(table)


def _because(call: Call, reason: str) -> Call:
    call.reason = reason
    return call


def _with_queue(act: Callable[[Connection, Call], Awaitable[Any]]) -> Any:
    """What `act` answers, in one transaction."""

    async def run(call: Call) -> Any:
        async with call.platform.database.transaction() as connection:
            return await act(connection, call)

    return use("jobs.operate", run)


def _ids(job: queue.QueuedJob) -> str:
    return " ".join(f"{name}={value}" for name, value in job.ids.items())
