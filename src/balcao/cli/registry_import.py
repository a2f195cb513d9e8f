"""`balcao registry import`: import the city's files."""

from pathlib import Path
from typing import Annotated

import typer

from balcao.cli.importing import run_import
from balcao.core.imports.service import Order
from balcao.registry import SERVICE


def _check_kind(kind: str) -> str:
    if kind not in SERVICE.imports:
        raise typer.BadParameter(f"use um de: {', '.join(SERVICE.imports)}")
    return kind


Kind = Annotated[str, typer.Option(callback=_check_kind, metavar="TIPO", help=f"Um de: {', '.join(SERVICE.imports)}.")]


def import_file(
    file: Annotated[
        Path,
        typer.Argument(help="JSON Lines ou CSV, também .gz; `-` lê JSON Lines da entrada padrão.", show_default=False),
    ],
    kind: Kind = "citizens",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    source_name: Annotated[
        str | None, typer.Option("--source", help="De onde vêm os dados, quando a linha não diz.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    run_import("registry.import", file, Order(SERVICE.imports[kind], source_name, report, dry_run), as_json=as_json)
