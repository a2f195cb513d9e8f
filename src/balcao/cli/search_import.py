"""`balcao search import`: a catalogue from a file."""

from pathlib import Path
from typing import Annotated

import typer

from balcao.cli.importing import run_import
from balcao.core.imports.service import Order
from balcao.search import SERVICE


def import_file(
    file: Annotated[Path, typer.Argument(help="JSON Lines, também .gz; `-` lê da entrada padrão.", show_default=False)],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um catálogo de serviços. O mesmo comando, depois de interrompido, continua de onde parou."""
    order = Order(SERVICE.imports["services"], None, report, dry_run)
    run_import("search.import", file, order, as_json=as_json)
