"""Declare the personal data that a feature stores, for the rights of the data subject (rules: registry 4.9)."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, NamedTuple, get_args

import msgspec
from msgspec import Meta

from balcao.core.database.own_rows import make_deletion
from balcao.core.database.pool import Connection
from balcao.core.database.results import list_record_members
from balcao.core.values.cpf import Cpf


class Cleared(msgspec.Struct, frozen=True):
    """One kind of data that was erased. `fields` contains names, never values."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["vehicles"])]
    count: Annotated[int, Meta(description="Quantos registros foram apagados ou esvaziados.", examples=[2])]
    fields: Annotated[list[str], Meta(description="Campos apagados.", examples=[["serial_number", "photos"]])]


class Kept(msgspec.Struct, frozen=True):
    """One kind of data that is not erased. `basis` explains the reason to the person."""

    kind: Annotated[str, Meta(description="Tipo de dado.", examples=["audit_events"])]
    count: Annotated[int, Meta(description="Quantos registros ficam.", examples=[14])]
    basis: Annotated[str, Meta(description="Por que ficam.", examples=["Dever de guarda de registros."])]


class FileMember(NamedTuple):
    """A member of the export file as documented for integrators: its name and type, and a description in Portuguese."""

    name: str
    kind: Any
    description: str


class ExportMember(NamedTuple):
    """A `FileMember` with the function that fills it: `read` returns the person's data.

    The members of the file are sorted by `place`.
    """

    name: str
    kind: Any
    description: str
    place: int
    read: Callable[[Connection, Cpf], Awaitable[Any]]


def describe_members(members: Iterable[FileMember | ExportMember]) -> list[tuple[str, Any]]:
    """Return the fields of the export file's type, one for each of these members, in their order."""
    return [(member.name, Annotated[member.kind, Meta(description=member.description)]) for member in members]


# A function that erases the person's data that an anonymisation at the given time covers. In a dry run, the caller
# rolls the transaction back.
Erase = Callable[[Connection, Cpf, datetime], Awaitable[Sequence[Cleared]]]
# A function that returns the kinds of data that an anonymisation does not erase, each with its reason.
Retain = Callable[[Connection, Cpf], Awaitable[Sequence[Kept]]]


def erase_rows(kind: str, delete: Callable[[Connection, Cpf], Awaitable[int]], fields: Sequence[str]) -> Erase:
    """Return an `Erase` that calls `delete` to remove all of the person's rows. `delete` returns the row count."""

    async def erase(connection: Connection, cpf: Cpf, _: datetime) -> Sequence[Cleared]:
        return [Cleared(kind, await delete(connection, cpf), list(fields))]

    return erase


def erase_older_rows(
    kind: str, delete: Callable[[Connection, Cpf, datetime], Awaitable[int]], fields: Sequence[str]
) -> Erase:
    """Return an `Erase` that calls `delete` with the time of the anonymisation. `delete` returns the row count."""

    async def erase(connection: Connection, cpf: Cpf, at: datetime) -> Sequence[Cleared]:
        return [Cleared(kind, await delete(connection, cpf, at), list(fields))]

    return erase


def retain_rows(kind: str, count: Callable[[Connection, Cpf], Awaitable[int]], basis: str) -> Retain:
    """Return a `Retain` that reports how many rows `count` counts, and the legal basis for retaining them."""

    async def retain(connection: Connection, cpf: Cpf) -> Sequence[Kept]:
        return [Kept(kind, await count(connection, cpf), basis)]

    return retain


@dataclass(frozen=True)
class PersonalData:
    """The declaration of one feature's personal data.

    - `erase`: without it nothing is erased, and `retain` explains why.
    - `by_event`: an `anonimizacao` event of the CRM erases these data too.
    - `tables`: every table of the feature that has a person's number in a column.
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
    """The common case: a table whose column `cpf` contains the number of the person who owns the row.

    All rows of the person are exported in `member`, and all can be erased. `kind` is the name of these data in the
    report on an erasure; the default is the table's name. `fields` are the fields that the report lists as erased; the
    default is the fields of `member`.
    """

    def __init__(
        self, table: str, *, member: ExportMember | None = None, kind: str = "", fields: Sequence[str] = ()
    ) -> None:
        kind = kind or table.partition(".")[2]
        if member is not None and not fields:
            (row, *_) = get_args(member.kind) or [member.kind]
            fields = list(list_record_members(row))
        erase = erase_rows(kind, make_deletion(table), fields)
        super().__init__(kind, () if member is None else (member,), erase, tables=(table,))


def list_export_members(declarations: Iterable[PersonalData]) -> list[ExportMember]:
    """Return the members of the export file, in its order."""
    members = [member for declared in declarations for member in declared.members]
    return sorted(members, key=lambda member: member.place)


class DeclaredPersonalData:
    """The declarations of all features that a process serves. They are one of `platform.parts`."""

    def __init__(self, declarations: Iterable[PersonalData]) -> None:
        self.declarations = tuple(declarations)

    async def export(self, connection: Connection, cpf: Cpf) -> dict[str, Any]:
        """Return the stored data of the person: the members of the export file, in its order."""
        found: dict[str, Any] = {}
        for declared in self.declarations:
            found |= await declared.export(connection, cpf)
        return {member.name: found[member.name] for member in list_export_members(self.declarations)}

    async def erase(self, connection: Connection, cpf: Cpf, at: datetime, *, by_event: bool = False) -> list[Cleared]:
        """Erase the data that an anonymisation at the given time covers.

        With `by_event`, erase only the data that a CRM event erases in addition to the mirror.

        The caller must hold the lock of the person's mirror, so that no write of the person runs concurrently.
        """
        cleared: list[Cleared] = []
        for declared in self.declarations:
            if declared.erase is not None and (declared.by_event or not by_event):
                cleared += await declared.erase(connection, cpf, at)
        return [one if one.count else Cleared(one.kind, 0, []) for one in cleared]

    async def retain(self, connection: Connection, cpf: Cpf) -> list[Kept]:
        """Return the data that remain after an anonymisation, with the reasons."""
        return [
            kept
            for declared in self.declarations
            if declared.retain is not None
            for kept in await declared.retain(connection, cpf)
        ]
