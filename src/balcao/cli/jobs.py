"""`balcao jobs`: list, read, retry and drop jobs, with the same use cases as the HTTP operations."""

import functools
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table

from balcao.cli.console import make_console, print_json
from balcao.cli.options import Json
from balcao.cli.people import parse_cpf
from balcao.cli.portuguese import Commands

if TYPE_CHECKING:
    from balcao.core.context.call import Call
    from balcao.core.jobs.schedule import Recurring

OPERATION = "jobs.operate"
MOST_PER_PAGE = 100  # the same as `core.http.paging.MOST_PER_PAGE`
jobs = Commands(help="Tarefas em fila: listar, ver, repetir, descartar.")
console = make_console()


class State(StrEnum):
    QUEUED = "queued"
    RUNNING = "running"
    DEAD = "dead"


WORDS = {"queued": "espera", "running": "em execução", "dead": "falhou"}
Reason = Annotated[str, typer.Option(help="O motivo; fica na trilha de auditoria.")]
Number = Annotated[str, typer.Argument(metavar="NÚMERO", help="O número da tarefa, como em `balcao jobs list`.")]
CpfOption = Annotated[str | None, typer.Option(help="Só as tarefas desta pessoa: CPF com 11 dígitos.")]


@jobs.command("list")
def list_jobs(
    state: Annotated[list[State] | None, typer.Option(help="Só as deste estado; pode ser repetida.")] = None,
    kind: Annotated[list[str] | None, typer.Option(help="Só as deste tipo; pode ser repetida.")] = None,
    cpf: CpfOption = None,
    page: Annotated[int, typer.Option(min=1, max=1_000_000)] = 1,
    per_page: Annotated[int, typer.Option(min=1, max=MOST_PER_PAGE)] = MOST_PER_PAGE,
    as_json: Json = False,
) -> None:
    """Lista as tarefas que esperam, que estão em execução ou que falharam."""
    from balcao.core.jobs import dead_letters
    from balcao.core.values.page import Page
    from balcao.operate.use_cases import run_use_case

    states: Any = [one.value for one in state or State]
    whose = parse_cpf(cpf, "--cpf deve ser um CPF válido, com 11 dígitos.") if cpf else None
    found = run_use_case(
        OPERATION,
        lambda call: dead_letters.list_dead_letters(
            call, Page(page, per_page), kinds=kind or (), cpf=whose, states=states
        ),
    )
    if as_json:
        print_json(found)
        return
    table = Table("número", "tipo", "estado", "tentativas", "última falha", "código", "pessoa")
    for job in found.data:
        failed = _format_time(job.last_failed_at)
        attempts, code = str(job.attempts), job.error_code or ""
        table.add_row(job.id, job.kind, WORDS[job.state], attempts, failed, code, job.cpf or "")
    console.print(table if found.data else "Nenhuma tarefa.")
    console.print(f"{found.pagination.total} no total", highlight=False)


@jobs.command("show")
def show_job(number: Number, as_json: Json = False) -> None:
    """Mostra uma tarefa e as suas últimas tentativas; de uma falha, só o código."""
    from balcao.core.jobs import dead_letters
    from balcao.operate.use_cases import run_use_case

    job = run_use_case(OPERATION, lambda call: dead_letters.read_dead_letter(call, number))
    if as_json:
        print_json(job)
        return
    about = ", ".join(filter(None, [job.cpf, *job.fields]))
    summary = f"Tarefa {job.id}: {job.kind}, {WORDS[job.state]}, {job.attempts} tentativas {about}"
    console.print(summary, markup=False)
    table = Table("quando", "código", "resposta", "segundos")
    for attempt in job.attempts_log:
        duration = "" if attempt.duration is None else f"{attempt.duration:.3f}"
        table.add_row(_format_time(attempt.time), attempt.code or "", str(attempt.status or ""), duration)
    console.print(table)


@jobs.command("retry")
def retry_job(
    numbers: Annotated[list[str], typer.Argument(metavar="NÚMERO...", help="Números de tarefas que falharam.")],
) -> None:
    """Devolve à fila tarefas que falharam, com todas as tentativas."""
    from balcao.core.jobs import dead_letters
    from balcao.operate.use_cases import run_use_case

    for number in numbers:
        run_use_case(OPERATION, functools.partial(dead_letters.retry_dead_job, letter_id=number))
        console.print(f"Tarefa {number}: de volta à fila.")


@jobs.command("drop")
def drop_job(number: Number, reason: Reason) -> None:
    """Descarta uma tarefa que falhou e que não deve mais ser executada."""
    from balcao.core.jobs import dead_letters
    from balcao.operate.use_cases import run_use_case

    run_use_case(OPERATION, lambda call: dead_letters.drop_dead_job(call, number, reason))
    console.print(f"Tarefa {number}: descartada.")


@jobs.command("recurring")
def list_recurring(as_json: Json = False) -> None:
    """Lista o que o worker faz de tempos em tempos (horários em UTC)."""
    from balcao.operate.use_cases import run_use_case

    async def fetch(call: "Call") -> "list[Recurring]":
        from balcao import app
        from balcao.core.jobs import schedule

        async with call.platform.database.connection() as connection:
            return await schedule.list_recurring(connection, app.list_job_kinds())

    found = run_use_case(OPERATION, fetch)
    if as_json:
        print_json(found)
        return
    table = Table("tipo", "horário (cron)", "última vez", "próxima vez")
    for job in found:
        table.add_row(job.kind, job.cron, _format_time(job.last), _format_time(job.next))
    console.print(table)


def _format_time(at: datetime | None) -> str:
    return f"{at:%Y-%m-%d %H:%M:%S %Z}" if at else ""
