"""Ends a long run, and writes its documentation page.

Ctrl-C or a service manager's signal ends a run early. Only a complete run replaces the page. Until then, the results
are next to the run's histories.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERRUPTED = 130  # the exit status of an interrupted command


@contextmanager
def interruptible() -> Iterator[None]:
    """Raise KeyboardInterrupt for SIGINT and SIGTERM, even if a shell started the run in the background."""
    handlers = {
        signal.SIGINT: signal.default_int_handler,
        signal.SIGTERM: lambda *_: signal.raise_signal(signal.SIGINT),
    }
    former = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)


def replace(page: Path, text: str) -> None:
    """Replace the page atomically."""
    fresh = page.with_name(f".{page.name}")
    fresh.write_text(text, "utf-8")
    fresh.replace(page)
