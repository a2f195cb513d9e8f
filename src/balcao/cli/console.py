"""How commands print: a terminal's own width, and none in a pipe, whose reader wants every cell and line whole."""

import sys
from typing import Any

from rich.console import Console

# Tables take what their cells need; nothing is padded up to it.
UNBOUNDED = 100_000


def make_console(*, stderr: bool = False) -> Console:
    """Return the console of standard output, or of standard error."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, width=None if stream.isatty() else UNBOUNDED)


def print_json(value: Any) -> None:
    """Print the value as indented JSON."""
    import msgspec  # few commands print JSON

    print(msgspec.json.format(msgspec.json.encode(value)).decode())


def format_count(count: int) -> str:
    """Return a number as people write it, with a point before each thousand."""
    return f"{count:,}".replace(",", ".")
