"""Print the output of commands, as wide as the terminal. In a pipe, the width is unlimited, so that no line is cut."""

import sys
from typing import Any

from rich.console import Console

# The width of output in a pipe. Tables are only as wide as their cells need, not this wide.
UNBOUNDED = 100_000


def make_console(*, stderr: bool = False) -> Console:
    """Return the console for standard output or standard error."""
    stream = sys.stderr if stderr else sys.stdout
    return Console(stderr=stderr, highlight=False, width=None if stream.isatty() else UNBOUNDED)


def print_json(value: Any) -> None:
    """Print the value as indented JSON."""
    import msgspec  # import it here, because few commands print JSON

    print(msgspec.json.format(msgspec.json.encode(value)).decode())


def format_count(count: int) -> str:
    """Format a number in Brazilian style, with a point before each group of three digits."""
    return f"{count:,}".replace(",", ".")
