"""What a feature stores of a person, declared to the rights over it (rules: registry 4.9)."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
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
Export = Callable[[Connection, Cpf], Awaitable[Mapping[str, Any]]]
# Erases what the person's anonymisation at that time erases; in a dry run the caller rolls it back.
Erase = Callable[[Connection, Cpf, datetime], Awaitable[Sequence[Cleared]]]
# What no anonymisation erases.
Retain = Callable[[Connection, Cpf], Awaitable[Sequence[Kept]]]


async def no_members(_: Connection, __: Cpf) -> Mapping[str, Any]:
    """Export nothing: the rows are no data of the person's own."""
    return {}


@dataclass(frozen=True)
class PersonalData:
    """One feature's declaration. Without `erase` nothing of it is erased, `retain` says why.

    `by_event`: an `anonimizacao` of the CRM erases it too. `tables` names every table of the feature that has a
    person's number in a column.
    """

    name: str
    export: Export = no_members
    erase: Erase | None = None
    retain: Retain | None = None
    by_event: bool = False
    tables: tuple[str, ...] = ()


class DeclaredPersonalData:
    """The declarations of all features that a process serves; a part of the platform."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self.declarations = tuple(declarations)

    async def export(self, connection: Connection, cpf: Cpf) -> dict[str, Any]:
        """Return what is stored of the person, as members of the export file."""
        members: dict[str, Any] = {}
        for declared in self.declarations:
            members |= await declared.export(connection, cpf)
        return members

    async def erase(self, connection: Connection, cpf: Cpf, at: datetime, *, by_event: bool = False) -> list[Cleared]:
        """Erase what an anonymisation at that time erases; with `by_event`, what a CRM event erases beside the mirror.

        The person's mirror must be locked, so that no write of theirs comes in between.
        """
        cleared: list[Cleared] = []
        for declared in self.declarations:
            if declared.erase is not None and (declared.by_event or not by_event):
                cleared += await declared.erase(connection, cpf, at)
        return [one if one.count else Cleared(one.kind, 0, []) for one in cleared]

    async def retain(self, connection: Connection, cpf: Cpf) -> list[Kept]:
        """Return what stays in spite of an anonymisation, and why."""
        return [
            kept
            for declared in self.declarations
            if declared.retain is not None
            for kept in await declared.retain(connection, cpf)
        ]
