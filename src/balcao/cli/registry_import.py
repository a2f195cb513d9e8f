"""`balcao registry import` and `generate`: import the city's files, and write invented ones to try it with."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from balcao.cli import database
from balcao.cli.faults import OperatorFault
from balcao.core.context.call import operator_call
from balcao.core.errors import BalcaoError
from balcao.core.imports import service, source
from balcao.core.imports.declaration import Committed
from balcao.core.imports.service import Order, Outcome
from balcao.core.imports.source import Source
from balcao.registry import SERVICE
from balcao.registry.person import invented
from balcao.settings import Settings

console = Console(stderr=True, highlight=False)


def _check_kind(kind: str) -> str:
    if kind not in SERVICE.imports:
        raise typer.BadParameter(f"use um de: {', '.join(SERVICE.imports)}")
    return kind


Kind = Annotated[str, typer.Option(callback=_check_kind, metavar="TIPO", help=f"Um de: {', '.join(SERVICE.imports)}.")]


def import_file(
    file: Annotated[Path, typer.Argument(help="JSON Lines, também .gz; `-` lê da entrada padrão.", show_default=False)],
    kind: Kind = "citizens",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")] = False,
    report: Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)] = None,
    source_name: Annotated[
        str | None, typer.Option("--source", help="De onde vêm os dados, quando a linha não diz.", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Em JSON.")] = False,
) -> None:
    """Carrega um arquivo do município. O mesmo comando, depois de interrompido, continua de onde parou."""
    order = Order(SERVICE.imports[kind], source_name, report, dry_run)
    with _using_files(), source.open_source(file) as lines:
        outcome = _run(lines, order)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(_summarise(outcome, order))).decode())
    else:
        _print_summary(outcome, order)


def _run(lines: Source, order: Order) -> Outcome:
    settings = Settings.load()

    async def run(url: str) -> Outcome:
        async with database.open_platform(settings, url) as platform:
            with _progress(lines) as progress:
                return await service.run(operator_call(platform, "registry.import"), lines, order, progress)

    try:
        with database.open_database(settings) as url:
            return asyncio.run(run(url))
    except BalcaoError as refused:
        if refused.status >= 500:
            raise
        raise OperatorFault(refused.message) from None


@contextmanager
def _progress(lines: Source) -> Iterator[service.OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Lendo", total=lines.size)

        def update(position: int, done: Committed) -> None:
            bar.update(task, completed=position, description=f"{_format_number(done.lines)} linhas")

        yield update


@contextmanager
def _using_files() -> Iterator[None]:
    """Wrap what reads and writes files of the operator's choice. Raises OperatorFault for one that cannot be used."""
    try:
        yield
    except OSError as fault:
        named = f" {fault.filename}" if fault.filename else ""
        raise OperatorFault(f"Não é possível usar o arquivo{named}: {fault.strerror or fault}.") from fault


def _summarise(outcome: Outcome, order: Order) -> dict[str, Any]:
    done = outcome.done
    return {
        "kind": order.declared.kind,
        "dry_run": order.dry_run,
        "lines": done.lines,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "refused": done.refused,
        "resumed_after": outcome.resumed_after,
    }


def _print_summary(outcome: Outcome, order: Order) -> None:
    done = outcome.done
    if outcome.resumed_after:
        print(f"Continuou depois da linha {_format_number(outcome.resumed_after)}, onde a importação anterior parou.")
    changed = "mudariam" if order.dry_run else "novas ou alteradas"
    print(
        f"{_format_number(done.lines)} linhas: {_format_number(done.changed)} {changed}, "
        f"{_format_number(done.unchanged)} sem mudança, {_format_number(done.refused)} recusadas."
    )
    if order.dry_run:
        print("Nada foi gravado.")
    elif not done.changed:
        print("Nada mudou.")
    if done.refused:
        print(
            f"Recusadas: veja {order.report}." if order.report else "Use --report ARQUIVO para saber quais e por quê."
        )


def _format_number(count: int) -> str:
    return f"{count:,}".replace(",", ".")


class Invented(StrEnum):
    """What can be generated."""

    CITIZENS = "citizens"
    TICKETS = "tickets"


def generate(
    count: Annotated[int, typer.Argument(min=1, max=invented.MOST, help="De quantos cidadãos.")],
    kind: Annotated[Invented, typer.Option(help="O que escrever deles.")] = Invented.CITIZENS,
) -> None:
    """Escreve linhas de cidadãos inventados, sempre as mesmas, para ensaios e medições."""
    lines = invented.make_citizens(count) if kind is Invented.CITIZENS else invented.make_tickets(count)
    encode = msgspec.json.Encoder().encode
    sys.stdout.buffer.writelines(encode(line) + b"\n" for line in lines)
