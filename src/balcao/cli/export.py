"""`balcao export`: all data of one service as encrypted files, to keep, to hand over and to import again."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from balcao import app
from balcao.cli.console import make_console
from balcao.cli.portuguese import Commands
from balcao.core.context.call import operator_call
from balcao.core.errors import BalcaoError
from balcao.core.exports import reading, service
from balcao.core.exports.folder import Manifest
from balcao.core.exports.sealing import Identity, read_identities
from balcao.operate import database
from balcao.operate.faults import OperatorFault, writing_to
from balcao.operate.use_cases import explain_refusals, print_json
from balcao.settings import Settings

export = Commands(help="Exportação cifrada dos dados de um serviço: criar, conferir, ler.")
SERVICES = {each.name: each for each in app.SERVICES if each.exports}
Folder = Annotated[Path, typer.Argument(metavar="PASTA", help="Onde a exportação fica.", show_default=False)]
_IDENTITY_HELP = "Arquivo com a chave privada, de `age-keygen` ou SSH."


def _check_service(name: str) -> str:
    if name not in SERVICES:
        raise typer.BadParameter(f"use um de: {', '.join(SERVICES)}")
    return name


@export.command("create")
def create(
    name: Annotated[
        str,
        typer.Argument(
            metavar="SERVIÇO", callback=_check_service, help=f"Um de: {', '.join(SERVICES)}.", show_default=False
        ),
    ],
    folder: Folder,
    recipient: Annotated[
        list[str],
        typer.Option(help="Chave pública (age1... ou ssh-...) de quem pode ler; pode repetir.", show_default=False),
    ],
    restart: Annotated[bool, typer.Option("--restart", help="Apaga a exportação que está na pasta.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Exporta todos os dados de um serviço. O mesmo comando, depois de interrompido, continua de onde parou."""
    settings = Settings.load()
    order = service.Order(name, SERVICES[name].exports, recipient, restart)

    async def run(url: str) -> Manifest:
        async with database.open_platform(settings, url) as platform:
            with _progress(len(order.exports)) as progress:
                return await service.run(operator_call(platform, f"{name}.export"), folder, order, progress)

    with database.open_database(settings) as url, writing_to(folder):
        made = explain_refusals(lambda: asyncio.run(run(url)))
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
    identities = _read_identities(identity) if identity else []
    manifest = explain_refusals(lambda: reading.open_export(folder))
    damaged = 0
    for part in manifest.parts:
        try:
            reading.check(folder, part, identities)
        except BalcaoError as fault:
            damaged += 1
            print(f"{part.file}  {fault.message}")
    print(f"{len(manifest.parts)} partes, {damaged} com falha.")
    if damaged:
        raise typer.Exit(1)


@export.command("read")
def read(
    folder: Folder,
    kind: Annotated[str, typer.Argument(metavar="TIPO", help="O tipo de linha, como `citizens`.", show_default=False)],
    identity: Annotated[Path, typer.Option(help=_IDENTITY_HELP, show_default=False)],
) -> None:
    """Escreve as linhas de um tipo na saída padrão, em JSON Lines, como a importação do tipo as lê."""
    identities = _read_identities(identity)
    manifest = explain_refusals(lambda: reading.open_export(folder))
    if kind not in manifest.kinds:
        raise OperatorFault(f"A exportação não tem o tipo {kind}; tem: {', '.join(manifest.kinds)}.")
    for part in manifest.parts:
        if part.kind == kind:
            try:
                sys.stdout.buffer.writelines(reading.read_part(folder, part, identities))
            except BalcaoError as fault:
                raise OperatorFault(f"{part.file}: {fault.message}") from None


def _read_identities(file: Path) -> list[Identity]:
    return explain_refusals(lambda: read_identities(file))


@contextmanager
def _progress(kinds: int) -> Iterator[service.OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=make_console(stderr=True), transient=True) as bar:
        task = bar.add_task("Exportando", total=kinds)
        seen: dict[str, int] = {}

        def update(kind: str, lines: int) -> None:
            seen[kind] = lines
            bar.update(task, completed=len(seen), description=f"{kind}: {_format_number(lines)} linhas")

        yield update


def _print_summary(made: Manifest) -> None:
    for kind, lines in made.count_lines().items():
        print(f"{_format_number(lines):>15}  {kind}")
    if len({part.snapshot for part in made.parts}) > 1:
        print(
            "Foi interrompida: as partes são de instantes diferentes do banco, como o manifesto diz. "
            "Com --restart são de um só."
        )


def _format_number(count: int) -> str:
    return f"{count:,}".replace(",", ".")
