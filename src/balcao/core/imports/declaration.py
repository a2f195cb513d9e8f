"""What a feature takes from the city's files: one kind of row, and how rows are written."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from balcao.core.database.pool import Connection


@dataclass(frozen=True)
class Import:
    """`kind` is the word of the import command, `row` the type of one line of JSON Lines.

    `write` gets a batch of rows that are valid by type, inside a transaction under the owner's role, and returns how
    many are new or other than before. It is idempotent. A row that cannot be used is its ValueError at decoding
    (`__post_init__` of `row`), whose text names the member and never the value.
    """

    kind: str
    row: type[msgspec.Struct]
    write: Callable[[Connection, Sequence[Any]], Awaitable[int]]


@dataclass
class Done:
    """What has been committed of a file."""

    byte_offset: int = 0
    lines: int = 0
    changed: int = 0
    unchanged: int = 0
    refused: int = 0
