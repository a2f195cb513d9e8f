"""What a room takes from the city's files: one kind of line, and how lines become rows."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from balcao.core.database.pool import Connection


@dataclass(frozen=True)
class Load:
    """`kind` is the word of the import command, `row` one line of JSON Lines.

    `write` gets a batch of lines that are valid by type, inside a transaction under the owner's role, and answers how
    many rows are new or other than before. It is idempotent. A line that cannot be used is its ValueError at decoding
    (`__post_init__` of `row`), whose text names the member and never the value.
    """

    kind: str
    row: type[msgspec.Struct]
    write: Callable[[Connection, Sequence[Any]], Awaitable[int]]
