"""`balcao search`: import and export a service catalogue, and run schema migrations."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from balcao.cli.console import make_console, print_json
from balcao.cli.imports import AllowRefused, DryRun, LinesOrTable, Report, run_import
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands
from balcao.operate.faults import OperatorFault

if TYPE_CHECKING:
    from balcao.core.context.call import Call
    from balcao.search.schema_migrations.schemas import IdentifiedStatus, MigrationStatus

search = Commands(help="Catálogo de serviços: importação e exportação, migrações do esquema da busca.")
migration = Commands(help="Migrações do esquema da busca: iniciar, acompanhar, abortar, desfazer.")
search.add_typer(migration, name="migration")
console = make_console()
# Show the progress bar on standard error, so that it does not mix with output that a program reads.
screen = make_console(stderr=True)

STATES = {
    "idle": "nenhuma migração até hoje",
    "in_progress": "em andamento",
    "completed": "concluída",
    "failed": "falhou",
    "rollback": "reversão concluída",
}
Reason = Annotated[str, typer.Option(help="O motivo; fica registrado na execução.")]
MigrationId = Annotated[str, typer.Option("--id", metavar="ID", help="A execução; sem ela, a mais recente.")]


@search.command("import")
def import_file(
    file: LinesOrTable,
    dry_run: DryRun = False,
    report: Report = None,
    allow_refused: AllowRefused = False,
    as_json: Json = False,
) -> None:
    """Carrega um catálogo de serviços. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("search", file, "services", report, dry_run=dry_run, allow_refused=allow_refused, as_json=as_json)


@search.command()
def export() -> None:
    """Escreve o catálogo inteiro na saída padrão, um serviço por linha, como `import` o lê."""
    import msgspec

    from balcao.operate.use_cases import run_use_case
    from balcao.search.services import service as services

    encode = msgspec.json.Encoder().encode

    async def write(call: "Call") -> None:
        async for document in services.export_services(call.platform):
            sys.stdout.buffer.write(encode(document) + b"\n")

    run_use_case("search.export", write)


@migration.command("start")
def start_migration(
    version: Annotated[str, typer.Argument(metavar="VERSÃO", help="A versão de esquema, por exemplo v3.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Só experimentar: nada muda.")] = False,
    wait: Annotated[bool, typer.Option("--wait/--no-wait", help="Acompanhar até o fim.")] = True,
    reason: Reason = "",
    as_json: Json = False,
) -> None:
    """Inicia uma migração e a acompanha até o fim; leituras e gravações seguem como sempre."""
    from balcao.operate import search_migrations
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations.schemas import StartBody

    body = StartBody(version, dry_run=dry_run, reason=reason)

    async def run(call: "Call") -> "IdentifiedStatus":
        with _progress() if wait else nullcontext() as on_progress:
            return await search_migrations.start_migration(call, body, on_progress)

    _show(run_use_case("search.start_migration", run), as_json)


@contextmanager
def _progress() -> Iterator[Callable[["IdentifiedStatus"], None]]:
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeElapsedColumn())
    with Progress(*columns, console=screen, transient=True) as bar:
        task = bar.add_task("Migração", total=100)

        def update(status: "IdentifiedStatus") -> None:
            text = f"{status.migrated_documents} de {status.total_documents} serviços"
            bar.update(task, completed=status.progress, description=text)

        yield update


@migration.command("status")
def show_status(as_json: Json = False) -> None:
    """Mostra a execução mais recente."""
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations import service

    _show(run_use_case("search.read_migration_status", service.read_current_status), as_json)


@migration.command("abort")
def abort_migration(migration_id: MigrationId = "", reason: Reason = "", as_json: Json = False) -> None:
    """Aborta a migração em andamento; a coleção fica como está."""
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations import service
    from balcao.search.schema_migrations.schemas import AbortBody

    body = AbortBody(migration_id, reason)
    _show(run_use_case("search.abort_migration", lambda call: service.abort_migration(call, body)), as_json)


@migration.command("rollback")
def roll_back_migration(migration_id: MigrationId = "", reason: Reason = "", as_json: Json = False) -> None:
    """Desfaz a última migração, sem perder o que foi gravado depois dela."""
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations import service
    from balcao.search.schema_migrations.schemas import RollbackBody

    body = RollbackBody(migration_id, reason)
    _, status = run_use_case("search.roll_back_migration", lambda call: service.roll_back_migration(call, body))
    _show(status, as_json)


@migration.command("history")
def show_history(
    page: Annotated[int, typer.Option(min=1, max=1_000_000)] = 1,
    per_page: Annotated[int, typer.Option(min=1, max=100)] = 10,
    as_json: Json = False,
) -> None:
    """Lista as migrações e reversões, da mais nova à mais antiga."""
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations import service

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
    from balcao.operate.use_cases import run_use_case
    from balcao.search.schema_migrations import service

    found = run_use_case("search.list_schema_versions", service.list_schemas)
    if as_json:
        print_json(found)
    else:
        console.print(f"Em uso: {found.current_version}. Conhecidas: {', '.join(found.available_versions)}.")


def _show(status: "MigrationStatus", as_json: bool) -> None:
    """Print a run's state.

    Raises OperatorFault if the run failed and was not aborted, so that scripts notice the failure.
    """
    if as_json:
        print_json(status)
    else:
        _print(status)
    if status.status == "failed" and not status.error_message.startswith("Abortada"):
        raise OperatorFault(status.error_message)


def _print(status: "MigrationStatus") -> None:
    from msgspec import UNSET

    from balcao.search.schema_migrations.schemas import StartedMigration

    report = status.dry_run if isinstance(status, StartedMigration) else UNSET
    state = STATES[status.status] if report is UNSET else "ensaio, que não muda nada"
    console.print(f"Esquema {status.schema_version}: {state}, {status.progress} %")
    if status.source_collection:
        console.print(f"De {status.source_collection} para {status.target_collection or '-'}")
    console.print(f"{status.migrated_documents} de {status.total_documents} serviços")
    if status.started_at:
        ended = f", fim {_format_time(status.completed_at)}" if status.completed_at else ""
        console.print(f"Início {_format_time(status.started_at)}{ended}, por {status.started_by}")
    if status.error_message:
        console.print(status.error_message, markup=False)
    if report is not UNSET:
        console.print(f"Ensaio: {report.checked} experimentados, {report.failed} não podem ser convertidos")
        for failure in report.failures:
            console.print(f"  {failure.service_id}: {failure.reason}")
        for changed in report.fields_changed:
            console.print(f"  muda {changed.field} em {changed.rows}")
        console.print(f"Duração estimada: {report.estimated_seconds} s")


def _format_time(seconds: int) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M:%S} UTC" if seconds else ""
