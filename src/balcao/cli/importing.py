"""What every import command does: progress, the report of refused lines, the summary."""

import asyncio
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

from balcao.cli.console import make_console
from balcao.core.context.call import operator_call
from balcao.core.errors import BalcaoError
from balcao.core.imports import service, source
from balcao.core.imports.declaration import Committed
from balcao.core.imports.service import Order, Outcome
from balcao.core.imports.source import Source
from balcao.core.imports.table import WINDOWS_1252
from balcao.operate import database, faults
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings

console = make_console(stderr=True)


def run_import(operation: str, file: Path, order: Order, *, as_json: bool) -> None:
    """Import a file, show how far it is, and print what it did. Raises OperatorFault."""
    with _reporting_refusals(), source.open_source(file) as lines:
        outcome = _run(operation, lines, order)
    if lines.table is not None and lines.table.encoding == WINDOWS_1252:
        console.print("O arquivo não está em UTF-8: foi lido como Windows-1252. Confira os acentos de uma linha.")
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(_summarise(outcome, order))).decode())
    else:
        _print_summary(outcome, order)


def _run(operation: str, lines: Source, order: Order) -> Outcome:
    settings = Settings.load()

    async def run(url: str) -> Outcome:
        # Bare: copies that services keep current would be read again after every batch, for nobody.
        async with database.open_platform(settings, url, bare=True) as platform:
            freeze_loaded()
            with _progress(lines) as progress:
                return await service.run(operator_call(platform, operation), lines, order, progress)

    with database.open_database(settings) as url:
        return asyncio.run(run(url))


def freeze_loaded() -> None:
    """Leave what is loaded out of every later search for garbage: rows would have all of it looked through often."""
    gc.collect()
    gc.freeze()


@contextmanager
def _progress(lines: Source) -> Iterator[service.OnProgress]:
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Lendo", total=lines.size)

        def update(position: int, done: Committed) -> None:
            bar.update(task, completed=position, description=f"{_format_number(done.lines)} linhas")

        yield update


@contextmanager
def _reporting_refusals() -> Iterator[None]:
    """Wrap what reads and writes files of the operator's choice. Raises OperatorFault for what they can mend."""
    try:
        yield
    except BalcaoError as refused:
        if refused.status >= 500:
            raise
        raise OperatorFault(refused.message) from None
    except OSError as fault:
        raise OperatorFault(
            faults.explain_file(fault) or f"Não é possível usar o arquivo: {fault.strerror or fault}."
        ) from fault


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
    # Of a table the first line is no record, and blank lines are none.
    records = done.changed + done.unchanged + done.refused
    counts = {
        "Registros": records,
        "mudariam" if order.dry_run else "novos ou alterados": done.changed,
        "sem mudança": done.unchanged,
        "recusados": done.refused,
    }
    print("; ".join(f"{what}: {_format_number(count)}" for what, count in counts.items()) + ".")
    if order.dry_run:
        print("Nada foi gravado.")
    elif not done.changed:
        print("Nada mudou.")
    if done.refused:
        print(
            f"Recusados: veja {order.report}." if order.report else "Use --report ARQUIVO para saber quais e por quê."
        )


def _format_number(count: int) -> str:
    return f"{count:,}".replace(",", ".")
