"""What a feature stores of a person, declared to the rights over it (rules: registry 4.9)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple, get_args

import msgspec
from msgspec import Meta

from balcao.core.database.own_rows import make_deletion
from balcao.core.database.pool import Connection
from balcao.core.database.results import list_members
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


class FileMember(NamedTuple):
    """One member of the export file as integrators see it: its type, and what it holds, in Portuguese."""

    name: str
    kind: Any
    description: str


class ExportMember(NamedTuple):
    """A `FileMember` that a feature fills: `read` returns what it holds of the person.

    Members stand in the file by `place`.
    """

    name: str
    kind: Any
    description: str
    place: int
    read: Callable[[Connection, Cpf], Awaitable[Any]]


def describe_members(members: Iterable[FileMember | ExportMember]) -> list[tuple[str, Any]]:
    """Return the fields of an export file's type for these members, in their order."""
    return [(member.name, Annotated[member.kind, Meta(description=member.description)]) for member in members]


# Erases what the person's anonymisation at that time erases; in a dry run the caller rolls it back.
Erase = Callable[[Connection, Cpf, datetime], Awaitable[Sequence[Cleared]]]
# What no anonymisation erases.
Retain = Callable[[Connection, Cpf], Awaitable[Sequence[Kept]]]


def erase_rows(kind: str, delete: Callable[[Connection, Cpf], Awaitable[int]], fields: Sequence[str]) -> Erase:
    """Return what erases all rows of the person by this statement, which returns how many there were."""

    async def erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
        return [Cleared(kind, await delete(connection, cpf), list(fields))]

    return erase


def erase_older_rows(
    kind: str, delete: Callable[[Connection, Cpf, datetime], Awaitable[int]], fields: Sequence[str]
) -> Erase:
    """Return what erases by this statement the rows that the anonymisation covers, which younger ones outlive."""

    async def erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
        return [Cleared(kind, await delete(connection, cpf, at), list(fields))]

    return erase


def retain_rows(kind: str, count: Callable[[Connection, Cpf], Awaitable[int]], basis: str) -> Retain:
    """Return what tells that the rows which this statement counts are retained, and on which basis."""

    async def retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
        return [Kept(kind, await count(connection, cpf), basis)]

    return retain


@dataclass(frozen=True)
class PersonalData:
    """One feature's declaration. Without `erase` nothing of it is erased, `retain` says why.

    `by_event`: an `anonimizacao` of the CRM erases it too. `tables` names every table of the feature that has a
    person's number in a column.
    """

    name: str
    members: Sequence[ExportMember] = ()
    erase: Erase | None = None
    retain: Retain | None = None
    by_event: bool = False
    tables: Sequence[str] = ()

    async def export(self, connection: Connection, cpf: Cpf) -> dict[str, Any]:
        """Return the members of the export file by name, ready for JSON."""
        return {member.name: msgspec.to_builtins(await member.read(connection, cpf)) for member in self.members}


class OwnRows(PersonalData):
    """The common case: one table whose rows are the person's whose number stands in `cpf`.

    They are exported by `member`, and erased one and all. `kind` is their word in the report of an erasure (the table's
    name unless given), `fields` what it says is gone: what `member` exports unless given.
    """

    def __init__(
        self, table: str, *, member: ExportMember | None = None, kind: str = "", fields: Sequence[str] = ()
    ) -> None:
        kind = kind or table.partition(".")[2]
        if member is not None and not fields:
            (row, *_) = get_args(member.kind) or [member.kind]
            fields = list(list_members(row))
        erase = erase_rows(kind, make_deletion(table), fields)
        super().__init__(kind, () if member is None else (member,), erase, tables=(table,))


def list_export_members(declarations: Iterable[PersonalData]) -> list[ExportMember]:
    """Return the members of the export file, in its order."""
    members = [member for declared in declarations for member in declared.members]
    return sorted(members, key=lambda member: member.place)


class DeclaredPersonalData:
    """The declarations of all features that a process serves; a part of the platform."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self.declarations = tuple(declarations)

    async def export(self, connection: Connection, cpf: Cpf) -> dict[str, Any]:
        """Return what is stored of the person: the members of the export file, in its order."""
        found: dict[str, Any] = {}
        for declared in self.declarations:
            found |= await declared.export(connection, cpf)
        return {member.name: found[member.name] for member in list_export_members(self.declarations)}

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
