"""`balcao export`: export all data of one service as encrypted files that can be stored and imported again."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from balcao.cli.console import format_count, make_console, print_json
from balcao.cli.options import Json
from balcao.cli.portuguese import Commands
from balcao.operate.names import EXPORTED_SERVICES

if TYPE_CHECKING:
    from balcao.core.exports.folder import Manifest
    from balcao.core.exports.service import OnProgress

export = Commands(help="Exportação cifrada dos dados de um serviço: criar, conferir, ler.")
Folder = Annotated[Path, typer.Argument(metavar="PASTA", help="Onde a exportação fica.", show_default=False)]
_IDENTITY_HELP = "Arquivo com a chave privada, de `age-keygen` ou SSH."


def _check_service(name: str) -> str:
    if name not in EXPORTED_SERVICES:
        raise typer.BadParameter(f"use um de: {', '.join(EXPORTED_SERVICES)}")
    return name


@export.command("create")
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SERVIÇO",
            callback=_check_service,
            help=f"Um de: {', '.join(EXPORTED_SERVICES)}.",
            show_default=False,
        ),
    ],
    folder: Folder,
    recipient: Annotated[
        list[str],
        typer.Option(
            help="Chave pública (age1... ou ssh-...) de quem pode ler; pode ser repetida.", show_default=False
        ),
    ],
    restart: Annotated[bool, typer.Option("--restart", help="Apaga a exportação que está na pasta.")] = False,
    as_json: Json = False,
) -> None:
    """Exporta todos os dados de um serviço. O mesmo comando, depois de interrompido, continua de onde parou."""
    from balcao.operate.exports import export_service

    made = export_service(name, folder, recipient, restart, _progress)
    if as_json:
        print_json({"service": name, "complete": True, "snapshots": made.snapshots, "lines": made.count_lines()})
    else:
        _print_summary(made)


@export.command("verify")
def verify(
    folder: Folder,
    identity: Annotated[Path | None, typer.Option(help=_IDENTITY_HELP, show_default=False)] = None,
) -> None:
    """Confere cada parte com o manifesto e, com a chave privada, cada linha; termina com 1 se algo falta."""
    from balcao.operate.exports import verify_export

    checked, damaged = verify_export(folder, identity)
    for file, fault in damaged.items():
        print(f"{file}  {fault}")
    print(f"{checked} partes, {len(damaged)} com falha.")
    if damaged:
        raise typer.Exit(1)


@export.command("read")
def read(
    folder: Folder,
    kind: Annotated[str, typer.Argument(metavar="TIPO", help="O tipo de linha, como `citizens`.", show_default=False)],
    identity: Annotated[Path, typer.Option(help=_IDENTITY_HELP, show_default=False)],
) -> None:
    """Escreve as linhas de um tipo na saída padrão, em JSON Lines, como a importação do tipo as lê."""
    from balcao.operate.exports import read_export

    sys.stdout.buffer.writelines(read_export(folder, kind, identity))


@contextmanager
def _progress(kinds: int) -> Iterator["OnProgress"]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task("Exportando", total=kinds)
        seen: dict[str, int] = {}

        def update(kind: str, lines: int) -> None:
            seen[kind] = lines
            bar.update(task, completed=len(seen), description=f"{kind}: {format_count(lines)} linhas")

        yield update


def _print_summary(made: "Manifest") -> None:
    for kind, lines in made.count_lines().items():
        print(f"{format_count(lines):>15}  {kind}")
    if len({part.snapshot for part in made.parts}) > 1:
        print(
            "A exportação foi interrompida e continuada: as partes são de instantes diferentes do banco, como mostra o "
            "manifesto. Com --restart, são todas do mesmo instante."
        )
