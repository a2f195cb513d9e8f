"""What a room holds of a person, told to the rights over it: export and anonymisation (rules: registry 4.9)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf


class Cleared(msgspec.Struct, frozen=True):
    """`fields` names what was erased, never a value."""

    kind: str
    count: int
    fields: list[str]


class Kept(msgspec.Struct, frozen=True):
    """`basis` tells the person why it is not erased."""

    kind: str
    count: int
    basis: str


# Members of the export file.
Exported = Callable[[Connection, Cpf], Awaitable[Mapping[str, Any]]]
# Erases what the person's anonymisation at that time erases; in a dry run the caller rolls it back.
Clearing = Callable[[Connection, Cpf, datetime], Awaitable[Sequence[Cleared]]]
# What no anonymisation erases.
Keeping = Callable[[Connection, Cpf], Awaitable[Sequence[Kept]]]


@dataclass(frozen=True)
class Holding:
    """One room's share. Without `cleared` nothing of it is erased.

    `by_event`: an `anonimizacao` of the CRM erases it too. `tables` names every table of the room that has a person's
    number in a column.
    """

    name: str
    exported: Exported
    cleared: Clearing | None = None
    kept: Keeping | None = None
    by_event: bool = False
    tables: tuple[str, ...] = ()


async def nothing(_: Connection, __: Cpf) -> Mapping[str, Any]:
    """For a room whose rows are no data of the person's own."""
    return {}
