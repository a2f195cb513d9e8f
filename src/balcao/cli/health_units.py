"""`balcao health-units`: import units and notifications from the city's former system."""

from typing import Annotated

from balcao.cli.imports import AllowRefused, DryRun, LinesOrTable, Report, offer_kinds, run_import
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands

health_units = Commands(help="Unidades de saúde: importação de unidades e notificações, simulação de episódios.")


@health_units.command("import")
def import_file(
    file: LinesOrTable,
    kind: Annotated[str, offer_kinds("health_units")],
    dry_run: DryRun = False,
    report: Report = None,
    allow_refused: AllowRefused = False,
    as_json: Json = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("health_units", file, kind, report, dry_run=dry_run, allow_refused=allow_refused, as_json=as_json)
