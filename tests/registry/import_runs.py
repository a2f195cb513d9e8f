"""Writes files to import, and runs imports next to the tests' server."""

import dataclasses
import gzip
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from balcao.core.imports import opening, service
from balcao.core.imports.service import OnProgress, Order, Outcome
from balcao.core.service import Service
from balcao.registry import SERVICE as REGISTRY
from balcao.settings import Settings
from tests.support.operator_calls import acting

Load = Callable[..., Outcome]


def written(path: Path, lines: Iterable[Any]) -> Path:
    """Write the lines to a file, and return its path. Bytes are written unchanged, and all other values as JSON."""
    raw = b"".join((line if isinstance(line, bytes) else msgspec.json.encode(line)) + b"\n" for line in lines)
    path.write_bytes(gzip.compress(raw) if path.suffix == ".gz" else raw)
    return path


def counts(outcome: Outcome) -> tuple[int, int, int, int]:
    """Return how many lines were read, how many rows changed and did not change, and how many lines were rejected."""
    done = outcome.done
    return done.lines, done.changed, done.unchanged, done.refused


def refusals(report: Path) -> dict[int, str]:
    """Return the reasons in a report of rejected lines, by line number."""
    found = [msgspec.json.decode(line) for line in report.read_bytes().splitlines()]
    assert all(set(one) == {"line", "reason"} for one in found)
    return {one["line"]: one["reason"] for one in found}


@contextmanager
def importing(settings: Settings, database_url: str, service_: Service = REGISTRY) -> Iterator[Load]:
    """Yield `load(file, kind, **options)`, which imports a file in the way that the service's command does.

    The option `batch` sets the batch size.
    """
    with acting(settings, database_url, f"{service_.name}.import", bare=True) as act:

        def load(
            file: Path, kind: str = "citizens", progress: OnProgress = _silent, batch: int = 0, **options: Any
        ) -> Outcome:
            declared = service_.imports[kind]
            declared = dataclasses.replace(declared, batch=batch or declared.batch)
            with opening.open_source(file) as lines:
                outcome: Outcome = act(service.run_import, lines, Order(declared, **options), progress)
                return outcome

        yield load


def _silent(*_: object) -> None:
    """Ignore the progress."""
