"""`balcao agents`: the import of what a former system held of agents and their data sets."""

from pathlib import Path
from typing import Annotated

import typer

from balcao.agents import SERVICE
from balcao.cli.importing import run_import
from balcao.cli.portuguese import Commands
from balcao.core.imports.service import Order

agents = Commands(help="Configuração de agentes: importação de versões, conjuntos de dados e exemplos.")


@agents.callback()
def group() -> None:
    """Keep `import` a command of a group while it is the only one."""


def _check_kind(kind: str) -> str:
    if kind not in SERVICE.imports:
        raise typer.BadParameter(f"use um de: {', '.join(SERVICE.imports)}")
    return kind


@agents.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(help="JSON Lines, também .gz; `-` lê da entrada padrão.", show_default=False)],
    kind: Annotated[
        str,
        typer.Option(
            callback=_check_kind, metavar="TIPO", help=f"Um de: {', '.join(SERVICE.imports)}.", show_default=False
        ),
    ],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um arquivo do sistema anterior. O mesmo comando, depois de interrompido, continua de onde parou."""
    order = Order(SERVICE.imports[kind], None, report, dry_run)
    run_import("agents.import", file, order, as_json=as_json)
