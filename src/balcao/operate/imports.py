"""Import a file from a former system into the configured database."""

import asyncio
import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import NamedTuple

from balcao import app
from balcao.core.context.call import operator_call
from balcao.core.errors import BalcaoError
from balcao.core.imports import opening, service
from balcao.core.imports.delimited import WINDOWS_1252, Csv
from balcao.core.imports.service import OnProgress, Order, Outcome
from balcao.core.imports.source import Source
from balcao.operate import database, faults
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings

# The number of new objects between two garbage collections. With Python's default of 700, an import would spend a tenth
# of its time on garbage collection.
_OBJECTS_PER_SEARCH = 100_000

# A function that shows the progress of an import during a block. Its argument is the size in bytes, or None if it is
# unknown.
Showing = Callable[[int | None], AbstractContextManager[OnProgress]]


class Imported(NamedTuple):
    """The outcome of an import, and whether the file was read as Windows-1252 because it is not UTF-8."""

    outcome: Outcome
    is_windows_1252: bool


def make_order(service_name: str, kind: str, origin: str | None, report: Path | None, *, dry_run: bool) -> Order:
    """Return an import order for this service's rows of this kind."""
    (declared,) = app.choose_services([service_name])
    return Order(declared.imports[kind], origin, report, dry_run)


def import_file(operation: str, file: Path, order: Order, showing: Showing) -> Imported:
    """Import a file, or continue an interrupted import. Raises OperatorFault for problems that the operator can fix."""
    with _explaining_files(), opening.open_source(file) as lines:
        outcome = _run(operation, lines, order, showing)
        return Imported(outcome, isinstance(lines, Csv) and lines.encoding == WINDOWS_1252)


def _run(operation: str, lines: Source, order: Order, showing: Showing) -> Outcome:
    settings = Settings.load()

    async def run(url: str) -> Outcome:
        # Do not open the services' resources. They would needlessly reload their caches after every batch.
        async with database.open_platform(settings, url, bare=True) as platform:
            freeze_gc()
            with showing(lines.size) as progress:
                return await service.run_import(operator_call(platform, operation), lines, order, progress)

    with database.open_database(settings) as url:
        return asyncio.run(run(url))


def freeze_gc() -> None:
    """Exclude the loaded objects from garbage collection, and collect rarely.

    Otherwise an import's rows would cause many collections that check all these objects. The rows themselves have no
    cycles and are freed with their batch.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_OBJECTS_PER_SEARCH)


@contextmanager
def _explaining_files() -> Iterator[None]:
    """Convert exceptions in the block to OperatorFault.

    Only problems that the operator can fix are converted, such as unreadable files.
    """
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
