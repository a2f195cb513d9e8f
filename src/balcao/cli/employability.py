"""`balcao employability`: import companies, jobs and their catalogues from the city's former system."""

from typing import Annotated

from balcao.cli.imports import AllowRefused, DryRun, LinesOrTable, Report, offer_kinds, run_import
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands

employability = Commands(help="Empregabilidade: importação de empresas, vagas e catálogos.")


@employability.callback()
def group() -> None:
    """Make `import` a subcommand. Without this callback, Typer would merge a group's only command into the group."""


@employability.command("import")
def import_file(
    file: LinesOrTable,
    kind: Annotated[str, offer_kinds("employability")],
    dry_run: DryRun = False,
    report: Report = None,
    allow_refused: AllowRefused = False,
    as_json: Json = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("employability", file, kind, report, dry_run=dry_run, allow_refused=allow_refused, as_json=as_json)
