"""How a long run ends, and what becomes of its page.

It is ended early by Ctrl-C, or by who ends it as a service manager does. A page is replaced by that of a run which came
to its end, and by nothing less; until then what was judged is written beside the histories of the run.
"""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INTERRUPTED = 130  # the status of a command that was ended early


@contextmanager
def interruptible() -> Iterator[None]:
    """Let both raise KeyboardInterrupt within the block, also where a shell started the run in the background."""
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
    """Write a page that is there as a whole or not at all."""
    fresh = page.with_name(f".{page.name}")
    fresh.write_text(text, "utf-8")
    fresh.replace(page)
