"""`balcao search migration`: the schema migrations of the search, by the same use cases as the HTTP operations."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated

import msgspec
import typer
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table

from balcao.cli.console import make_console
from balcao.cli.portuguese import Commands
from balcao.core.context.call import Call
from balcao.operate.faults import OperatorFault
from balcao.operate.use_cases import print_json, run_use_case
from balcao.search.schema_migrations import service
from balcao.search.schema_migrations.schemas import (
    AbortBody,
    IdentifiedStatus,
    MigrationStatus,
    RollbackBody,
    StartBody,
    StartedMigration,
)
from balcao.search.schema_migrations.work import carry_on

migration = Commands(help="Migrações do esquema da busca: iniciar, acompanhar, abortar, desfazer.")
console = make_console()
# The bar goes where it does not mix with what a program reads.
screen = make_console(stderr=True)

POLL_SECONDS = 0.3
STATES = {
    "idle": "nenhuma migração até hoje",
    "in_progress": "em andamento",
    "completed": "concluída",
    "failed": "falhou",
    "rollback": "reversão concluída",
}
Json = Annotated[bool, typer.Option("--json", help="Em JSON.")]
Reason = Annotated[str, typer.Option(help="Por quê; fica registrado na execução.")]
MigrationId = Annotated[str, typer.Option("--id", metavar="ID", help="A execução; sem ela, a mais recente.")]


@migration.command("start")
def start_migration(
    version: Annotated[str, typer.Argument(metavar="VERSÃO", help="A versão de esquema, por exemplo v3.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Só experimentar: nada muda.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Acompanhar até o fim.")] = True,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Inicia uma migração e a acompanha até o fim; leituras e gravações seguem como sempre."""

    async def run(call: Call) -> IdentifiedStatus:
        started = await service.start(call, StartBody(version, dry_run=dry_run, reason=reason))
        if started.migration_id is None or not wait:
            return started
        return await _follow(call, started.migration_id)

    _show(run_use_case("search.start_migration", run), as_json)


async def _follow(call: Call, run_id: str) -> IdentifiedStatus:
    """Show how far the run has come, until it ends; carry it on here when no worker does."""
    working = asyncio.create_task(_work(call, run_id))
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    try:
        with Progress(*columns, console=screen, transient=True) as bar:
            task = bar.add_task("Migração", total=100)
            while True:
                status = await service.read_run(call, run_id)
                text = f"{status.migrated_documents} de {status.total_documents} serviços"
                bar.update(task, completed=status.progress, description=text)
                if status.status != "in_progress":
                    return status
                await asyncio.sleep(POLL_SECONDS)
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


async def _work(call: Call, run_id: str) -> None:
    """Offer this process as one more worker: on a database that no other process serves it is the only one."""
    while (held_for := await carry_on(call.platform, run_id)) is not None:  # noqa: ASYNC110 - a lease runs out by time
        await asyncio.sleep(max(held_for.total_seconds(), POLL_SECONDS))


@migration.command("status")
def show_status(as_json: Json = False) -> None:
    """Mostra a execução mais recente."""
    _show(run_use_case("search.read_migration_status", service.read_current_status), as_json)


@migration.command("abort")
def abort_migration(migration_id: MigrationId = "", reason: Reason = "", as_json: Json = False) -> None:
    """Aborta a migração em andamento; a coleção fica como está."""
    body = AbortBody(migration_id, reason)
    _show(run_use_case("search.abort_migration", lambda call: service.abort(call, body)), as_json)


@migration.command("rollback")
def roll_back_migration(migration_id: MigrationId = "", reason: Reason = "", as_json: Json = False) -> None:
    """Desfaz a última migração, sem perder o que foi gravado depois dela."""
    body = RollbackBody(migration_id, reason)
    _, status = run_use_case("search.roll_back_migration", lambda call: service.roll_back(call, body))
    _show(status, as_json)


@migration.command("history")
def show_history(
    page: Annotated[int, typer.Option(min=1, max=1_000_000)] = 1,
    per_page: Annotated[int, typer.Option(min=1, max=100)] = 10,
    as_json: Json = False,
) -> None:
    """Lista as migrações e reversões, da mais nova à mais antiga."""
    found = run_use_case("search.read_migration_history", lambda call: service.read_history(call, page, per_page))
    if as_json:
        print_json(found)
        return
    table = Table("execução", "estado", "de", "para", "início", "por", "serviços", "erro")
    for run in found.migrations:
        table.add_row(
            run.id,
            STATES[run.status],
            run.previous_schema_version,
            run.schema_version,
            _format_time(run.started_at),
            run.started_by,
            str(run.total_documents),
            run.error_message,
        )
    console.print(table if found.migrations else "Nenhuma execução.")


@migration.command("schemas")
def list_schemas(as_json: Json = False) -> None:
    """Mostra a versão de esquema em uso e as conhecidas."""
    found = run_use_case("search.list_schema_versions", service.list_schemas)
    if as_json:
        print_json(found)
    else:
        console.print(f"Em uso: {found.current_version}. Conhecidas: {', '.join(found.available_versions)}.")


def _show(status: MigrationStatus, as_json: bool) -> None:
    """Print the state of a run. Raises OperatorFault for one that failed by itself, so that a script notices."""
    if as_json:
        print_json(status)
    else:
        _print(status)
    if status.status == "failed" and not status.error_message.startswith("Abortada"):
        raise OperatorFault(status.error_message)


def _print(status: MigrationStatus) -> None:
    report = status.dry_run if isinstance(status, StartedMigration) else msgspec.UNSET
    state = STATES[status.status] if report is msgspec.UNSET else "ensaio, que não muda nada"
    console.print(f"Esquema {status.schema_version}: {state}, {status.progress} %")
    if status.source_collection:
        console.print(f"De {status.source_collection} para {status.target_collection or '-'}")
    console.print(f"{status.migrated_documents} de {status.total_documents} serviços")
    if status.started_at:
        ended = f", fim {_format_time(status.completed_at)}" if status.completed_at else ""
        console.print(f"Início {_format_time(status.started_at)}{ended}, por {status.started_by}")
    if status.error_message:
        console.print(status.error_message, markup=False)
    if report is not msgspec.UNSET:
        console.print(f"Ensaio: {report.checked} experimentados, {report.failed} não podem ser convertidos")
        for failure in report.failures:
            console.print(f"  {failure.service_id}: {failure.reason}")
        for changed in report.fields_changed:
            console.print(f"  muda {changed.field} em {changed.rows}")
        console.print(f"Duração estimada: {report.estimated_seconds} s")


def _format_time(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC" if seconds else ""
