"""SQL of the resume's sections, made of each section's declaration."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import asyncpg
import msgspec

from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Conflict
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.reference_values.kinds import RANKED
from balcao.employability.reference_values.schemas import ReferenceValue
from balcao.employability.resume.sections.records import SECTIONS, Section


def _nested(section: Section) -> str:
    """Return the columns of the reference values that are shown whole, as JSON texts."""
    parts = []
    for column, reference in section.references.items():
        members = "'id', id, 'descricao', descricao, 'created_at', created_at, 'updated_at', updated_at"
        members += ", 'ordem', posicao" if reference.kind in RANKED else ""
        parts.append(
            f", (SELECT json_build_object({members})::text FROM employability.reference_value AS value"
            f" WHERE value.id = entry.{column}) AS {reference.member}"
        )
    return "".join(parts)


_MEMBERS = {each: f"id, cpf, {', '.join(each.columns)}, created_at, updated_at{_nested(each)}" for each in SECTIONS}
_LIST = {
    each: f"SELECT {_MEMBERS[each]} FROM {each.table} AS entry WHERE cpf = $1 ORDER BY {each.order}"
    for each in SECTIONS
}
_READ = {each: f"SELECT {_MEMBERS[each]} FROM {each.table} AS entry WHERE id = $1" for each in SECTIONS}


async def list_rows(connection: Connection, section: Section, cpf: Cpf) -> list[Any]:
    """Return a person's rows of a section, in its order."""
    return [_to_record(section, row) for row in await connection.fetch(_LIST[section], cpf.digits)]


async def read(connection: Connection, section: Section, id_: UUID) -> Any | None:
    row = await connection.fetchrow(_READ[section], id_)
    return _to_record(section, row) if row else None


_INSERT = {
    each: f"""
    INSERT INTO {each.table} AS entry (id, cpf, {", ".join(each.columns)})
    VALUES ($1, $2, {", ".join(f"${place}" for place, _ in enumerate(each.columns, 3))})
    RETURNING {_MEMBERS[each]}"""
    for each in SECTIONS
}


async def insert(connection: Connection, section: Section, cpf: Cpf, body: Any, id_: UUID | None = None) -> Any:
    """Insert a row. Raises Conflict for a second one where a person may have one."""
    values = (id_ or UUID(new_id()), cpf.digits, *section.values(body))
    try:
        return _to_record(section, await connection.fetchrow(_INSERT[section], *values))
    except asyncpg.UniqueViolationError:
        raise _twice() from None


async def insert_many(connection: Connection, section: Section, cpf: Cpf, bodies: Sequence[Any]) -> None:
    """Insert rows of which no two repeat what a person may have once."""
    rows = [(UUID(new_id()), cpf.digits, *section.values(body)) for body in bodies]
    await connection.executemany(_INSERT[section], rows)


_UPDATE = {
    each: f"""
    UPDATE {each.table} AS entry
    SET {", ".join(f"{column} = ${place}" for place, column in enumerate(each.columns, 2))},
        updated_at = clock_timestamp()
    WHERE id = $1
    RETURNING {_MEMBERS[each]}"""
    for each in SECTIONS
}


async def update(connection: Connection, section: Section, id_: UUID, body: Any) -> Any | None:
    """Update a row, None when it is gone. Raises Conflict for a second one where a person may have one."""
    try:
        row = await connection.fetchrow(_UPDATE[section], id_, *section.values(body))
    except asyncpg.UniqueViolationError:
        raise _twice() from None
    return _to_record(section, row) if row else None


async def delete(connection: Connection, section: Section, ids: Sequence[UUID]) -> int:
    """Delete rows and return how many there were."""
    statement = f"DELETE FROM {section.table} WHERE id = ANY ($1::uuid[]) RETURNING true"
    return len(await connection.fetch(statement, ids))


def _twice() -> Conflict:
    return Conflict("O currículo já tem este idioma.", code="language-twice")


def _to_record(section: Section, row: Row) -> Any:
    members: Mapping[str, Any] = dict(row)
    nested = {
        reference.member: msgspec.json.decode(members[reference.member], type=ReferenceValue)
        for reference in section.references.values()
        if members[reference.member] is not None
    }
    return section.record(**{**members, **nested})
