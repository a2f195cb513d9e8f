"""Code shared by all import commands: the option `--kind`, the progress bar and the summary."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from balcao.cli.console import format_count, make_console, print_json
from balcao.operate.names import IMPORT_KINDS

if TYPE_CHECKING:
    from balcao.core.imports.declaration import Committed
    from balcao.core.imports.service import OnProgress, Order, Outcome

console = make_console(stderr=True)
LinesFile = Annotated[
    Path, typer.Argument(help="JSON Lines, também .gz; `-` lê da entrada padrão.", show_default=False)
]
LinesOrTable = Annotated[
    Path,
    typer.Argument(
        help="JSON Lines, CSV (também .gz) ou .xlsx; `-` lê JSON Lines da entrada padrão.", show_default=False
    ),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Confere tudo e não grava nada.")]
AllowRefused = Annotated[
    bool, typer.Option("--allow-refused", help="Termina com 0 mesmo que linhas tenham sido recusadas.")
]
Report = Annotated[Path | None, typer.Option(help="Onde anotar as linhas recusadas.", show_default=False)]


def offer_kinds(service: str, metavar: str = "TIPO", *, show_default: bool = False) -> Any:
    """Return the option `--kind` for the import command of a service."""
    kinds = IMPORT_KINDS[service]

    def check(kind: str) -> str:
        if kind not in kinds:
            raise typer.BadParameter(f"use um de: {', '.join(kinds)}")
        return kind

    return typer.Option(callback=check, metavar=metavar, help=f"Um de: {', '.join(kinds)}.", show_default=show_default)


def run_import(
    service: str,
    file: Path,
    kind: str,
    report: Path | None,
    *,
    dry_run: bool,
    allow_refused: bool,
    as_json: bool,
    origin: str | None = None,
) -> None:
    """Import a file, show the progress, and print a summary.

    Exit with status 1 if rows were refused, unless the operator has allowed that.
    """
    from balcao.operate.imports import import_file, make_order

    order = make_order(service, kind, origin, report, dry_run=dry_run)
    imported = import_file(f"{service}.import", file, order, _progress)
    if imported.is_windows_1252:
        console.print("O arquivo não está em UTF-8: foi lido como Windows-1252. Confira os acentos de uma linha.")
    if as_json:
        print_json(_summarise(imported.outcome, order))
    else:
        _print_summary(imported.outcome, order)
    if imported.outcome.done.refused and not allow_refused:
        raise typer.Exit(1)


@contextmanager
def _progress(size: int | None) -> Iterator["OnProgress"]:
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Lendo", total=size)

        def update(position: int, done: "Committed") -> None:
            bar.update(task, completed=position, description=f"{format_count(done.lines)} linhas")

        yield update


def _summarise(outcome: "Outcome", order: "Order") -> dict[str, Any]:
    done = outcome.done
    return {
        "kind": order.declared.kind,
        "dry_run": order.dry_run,
        "lines": done.lines,
        "rows": done.rows,
        "changed": done.changed,
        "unchanged": done.unchanged,
        "refused": done.refused,
        "skipped": done.skipped,
        "resumed_after": outcome.resumed_after,
    }


def _print_summary(outcome: "Outcome", order: "Order") -> None:
    done = outcome.done
    if outcome.resumed_after:
        print(f"Continuou depois da linha {format_count(outcome.resumed_after)}, onde a importação anterior parou.")
    counts = {
        "Registros": done.rows,
        "mudariam" if order.dry_run else "novos ou alterados": done.changed,
        "sem mudança": done.unchanged,
        "recusados": done.refused,
        "em branco": done.skipped,
    }
    print("; ".join(f"{what}: {format_count(count)}" for what, count in counts.items()) + ".")
    if order.dry_run:
        print("Nada foi gravado.")
    elif not done.changed:
        print("Nada mudou.")
    if done.refused:
        print(
            f"Recusados: veja {order.report}." if order.report else "Use --report ARQUIVO para saber quais e por quê."
        )
