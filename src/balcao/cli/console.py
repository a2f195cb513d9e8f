"""The output of commands. Terminals get their own width, pipes get unlimited width, so that no line is cut."""

import sys
from typing import Any

from rich.console import Console

# Tables use the width of their cells and are not padded to this.
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
    """Return a number in Brazilian format, with a point before each thousand."""
    return f"{count:,}".replace(",", ".")
