"""SQL for the resume's sections, generated from the declaration of each section."""

from collections.abc import Sequence
from types import GenericAlias
from typing import Any
from uuid import UUID

import asyncpg

from balcao.core.database.lookups import lookups
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statements
from balcao.core.errors import Conflict
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.reference_values.kinds import RANKED
from balcao.employability.resume.sections.records import SECTIONS, Section


def _nested(section: Section) -> str:
    """Return the SQL columns of the nested reference values, as JSON strings."""
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


@lookups(
    {
        each: f"SELECT {_MEMBERS[each]} FROM {each.table} AS entry WHERE cpf = :cpf ORDER BY {each.order}"
        for each in SECTIONS
    },
    lambda section: {"return": GenericAlias(list, section.record)},
)
async def list_section_rows(source: Source, section: Section, cpf: Cpf) -> list[Any]:
    """Return a person's rows of a section, in the section's order and with the full CPF."""


@lookups(
    {each: f"SELECT {_MEMBERS[each]} FROM {each.table} AS entry WHERE id = :id_" for each in SECTIONS},
    lambda section: {"return": section.record | None},
)
async def read_section_row(source: Source, section: Section, id_: UUID) -> Any | None: ...


async def insert_section_row(
    connection: Connection, section: Section, cpf: Cpf, body: Any, id_: UUID | None = None
) -> Any:
    """Insert a row. Raises Conflict if another row of the person has the same value in the `once` column."""
    try:
        return await _insert_section_row(connection, section, id_ or UUID(new_id()), cpf, body)
    except asyncpg.UniqueViolationError:
        raise _duplicate_error() from None


@statements(
    {
        each: f"""
        INSERT INTO {each.table} AS entry (id, cpf, {", ".join(each.columns)})
        VALUES (:id_, :cpf, {", ".join(f":{column}" for column in each.columns)})
        RETURNING {_MEMBERS[each]}"""
        for each in SECTIONS
    },
    lambda section: {"body": section.body, "return": section.record},
)
async def _insert_section_row(connection: Connection, section: Section, id_: UUID, cpf: Cpf, body: Any) -> Any: ...


async def insert_section_rows(connection: Connection, section: Section, cpf: Cpf, bodies: Sequence[Any]) -> None:
    """Insert rows. The caller has checked that no value of the `once` column occurs twice."""
    insert = _insert_section_row.of[section]
    rows = [insert.bind((section, UUID(new_id()), cpf, body), {}) for body in bodies]
    await connection.executemany(insert.sql, rows)


async def update_section_row(connection: Connection, section: Section, id_: UUID, body: Any) -> Any | None:
    """Update a row and return it, or return None if the row was deleted.

    Raises Conflict if another row of the person has the same value in the `once` column.
    """
    try:
        return await _update_section_row(connection, section, id_, body)
    except asyncpg.UniqueViolationError:
        raise _duplicate_error() from None


@statements(
    {
        each: f"""
        UPDATE {each.table} AS entry
        SET {", ".join(f"{column} = :{column}" for column in each.columns)}, updated_at = clock_timestamp()
        WHERE id = :id_
        RETURNING {_MEMBERS[each]}"""
        for each in SECTIONS
    },
    lambda section: {"body": section.body, "return": section.record | None},
)
async def _update_section_row(connection: Connection, section: Section, id_: UUID, body: Any) -> Any | None: ...


@statements({each: f"DELETE FROM {each.table} WHERE id = ANY (:ids::uuid[])" for each in SECTIONS})
async def delete_section_rows(connection: Connection, section: Section, ids: Sequence[UUID]) -> int:
    """Delete rows, and return the number of deleted rows."""


def _duplicate_error() -> Conflict:
    return Conflict("O currículo já tem este idioma.", code="language-twice")


OFFERED = (list_section_rows,)
