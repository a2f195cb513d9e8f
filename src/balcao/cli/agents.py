"""`balcao agents`: import agents and their data sets from the city's former system."""

from typing import Annotated

from balcao.cli.imports import AllowRefused, DryRun, LinesFile, Report, offer_kinds, run_import
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands

agents = Commands(help="Configuração de agentes: importação de versões, conjuntos de dados e exemplos.")


@agents.callback()
def group() -> None:
    """Make `import` a subcommand. Without this callback, Typer would merge a group's only command into the group."""


@agents.command("import")
def import_file(
    file: LinesFile,
    kind: Annotated[str, offer_kinds("agents")],
    dry_run: DryRun = False,
    report: Report = None,
    allow_refused: AllowRefused = False,
    as_json: Json = False,
) -> None:
    """Carrega um arquivo do sistema anterior. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("agents", file, kind, report, dry_run=dry_run, allow_refused=allow_refused, as_json=as_json)
