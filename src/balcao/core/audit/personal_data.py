"""What a feature stores of a person, declared to the rights over it (rules: registry 4.9)."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from balcao.core.database.pool import Connection
from balcao.core.values.cpf import Cpf


class Cleared(msgspec.Struct, frozen=True):
    """What was erased of one kind; `fields` names it, never a value."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["vehicles"])]
    count: Annotated[int, Meta(description="Quantos registros foram apagados ou esvaziados.", examples=[2])]
    fields: Annotated[list[str], Meta(description="Campos apagados.", examples=[["serial_number", "photos"]])]


class Kept(msgspec.Struct, frozen=True):
    """What is not erased of one kind; `basis` tells the person why."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["audit_events"])]
    count: Annotated[int, Meta(description="Quantos registros ficam.", examples=[14])]
    basis: Annotated[str, Meta(description="Por que ficam.", examples=["Dever de guarda de registros."])]


@dataclass(frozen=True)
class ExportMember:
    """One member of the export file: `kind` is the type of what it holds, which `description` tells in Portuguese.

    Members stand in the file by `place`; one that names none comes last.
    """

    name: str
    kind: Any
    description: str
    place: int = 1000


def describe_members(members: Iterable[ExportMember]) -> list[tuple[str, Any]]:
    """Return the fields of an export file's type for these members, in their order."""
    return [(member.name, Annotated[member.kind, Meta(description=member.description)]) for member in members]


class UndeclaredMember(Exception):
    """Raised for an export that returns other members than its feature declares."""


# Returns the declared members of the export file, by name.
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

    `members` are what `export` returns. `by_event`: an `anonimizacao` of the CRM erases it too. `tables` names every
    table of the feature that has a person's number in a column.
    """

    name: str
    export: Export = no_members
    erase: Erase | None = None
    retain: Retain | None = None
    by_event: bool = False
    tables: tuple[str, ...] = ()
    members: tuple[ExportMember, ...] = ()


def list_members(declarations: Iterable[PersonalData]) -> list[ExportMember]:
    """Return the members of the export file, in its order."""
    members = [member for declared in declarations for member in declared.members]
    return sorted(members, key=lambda member: member.place)


class DeclaredPersonalData:
    """The declarations of all features that a process serves; a part of the platform."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self.declarations = tuple(declarations)

    async def export(self, connection: Connection, cpf: Cpf) -> dict[str, Any]:
        """Return what is stored of the person: the members of the export file, in its order.

        Raises UndeclaredMember.
        """
        found: dict[str, Any] = {}
        for declared in self.declarations:
            members = await declared.export(connection, cpf)
            if set(members) != {member.name for member in declared.members}:
                raise UndeclaredMember(declared.name)
            found |= members
        return {member.name: found[member.name] for member in list_members(self.declarations)}

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
