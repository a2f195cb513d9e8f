"""The end of a long run, and its page.

Ctrl-C or a service manager's signal ends it early. Only a complete run replaces the page. Until then, the results are
written next to the histories of the run.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERRUPTED = 130  # the exit status of a command that was interrupted


@contextmanager
def interruptible() -> Iterator[None]:
    """Make both signals raise KeyboardInterrupt in the block, even if a shell started the run in the background."""
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
    """Write a page atomically."""
    fresh = page.with_name(f".{page.name}")
    fresh.write_text(text, "utf-8")
    fresh.replace(page)
