"""The sections of a resume.

A caller without access to a row gets the same 404 as for an unknown row (rules: employability 2.8).
"""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Invalid, NotFound
from balcao.core.values.cpf import Cpf
from balcao.employability.reference_values import service as reference_values
from balcao.employability.resume.profiles.store import touch_resume
from balcao.employability.resume.sections import store
from balcao.employability.resume.sections.records import Section
from balcao.employability.schemas import Message

READ_ANY = "resume:read_any"
WRITE_ANY = "resume:write_any"


async def list_rows(call: Call, section: Section, cpf: Cpf) -> list[Any]:
    """Return a person's rows of a section. For other callers, the CPF is masked and the read is recorded."""
    async with call.reading(cpf, [section.member]) as source:
        rows = await store.list_section_rows(source, section, cpf)
    return show_rows(call, rows)


def show_rows(call: Call, rows: Sequence[Any]) -> list[Any]:
    """Return the rows as the caller may see them. Only the owner sees the full CPF."""
    if call.is_owner:
        return list(rows)
    return [msgspec.structs.replace(row, cpf=Cpf(row.cpf).masked) for row in rows]


async def read_row(call: Call, section: Section, id_: UUID) -> Any:
    """Return a row. For a caller other than its owner, the CPF is masked and the read is recorded.

    Raises the same NotFound for an unknown id and for a row that the caller may not read.
    """
    row = await store.read_section_row(call.platform.database, section, id_)
    if row is None or (reached := call.with_right_to(Cpf(row.cpf), READ_ANY)) is None:
        raise _unknown(section)
    if not reached.is_owner:
        async with reached.reading(Cpf(row.cpf), [section.member]):
            pass  # only records the audit event; the row was read above
    return show_rows(reached, [row])[0]


async def add_row(call: Call, section: Section, cpf: Cpf, body: Any, id_: UUID | None = None) -> Any:
    """Add a row and return the stored row.

    If a row with `id_` exists, it is returned unchanged, so the call can be repeated.

    Raises Invalid, for example for an unknown reference value. Raises Conflict if the section is full or already
    contains the row's value of the `once` column.
    """
    async with call.platform.database.transaction() as connection:
        return await _insert(connection, call, section, cpf, section.check(body), id_)


async def create_row(call: Call, section: Section, cpf: Cpf, body: Any) -> bytes:
    """Do the same as `add_row`, but only once for each idempotency key, and return the row as JSON.

    Raises the exceptions of `add_row`, and Conflict if the idempotency key was used for another request.
    """
    checked = section.check(body)
    async with call.platform.database.transaction() as connection:
        return await run_once(
            connection,
            call,
            cpf,
            [section.path, cpf.digits, body],
            lambda: _insert(connection, call, section, cpf, checked, None),
        )


async def _insert(
    connection: Connection, call: Call, section: Section, cpf: Cpf, checked: Any, id_: UUID | None
) -> Any:
    await touch_resume(connection, cpf)
    if id_ is not None and (present := await store.read_section_row(connection, section, id_)):
        return present
    await _require_references(connection, section, [checked])
    if len(await store.list_section_rows(connection, section, cpf)) >= section.most:
        raise Conflict(f"O currículo já tem {section.most} itens nesta seção.", code="section-limit")
    row = await store.insert_section_row(connection, section, cpf, checked, id_)
    await call.platform.audit.record(connection, call, "create", subject=cpf, fields=[section.member])
    return row


async def replace_row(call: Call, section: Section, id_: UUID, body: Any) -> Any:
    """Replace a row and return the stored row.

    Raises Invalid if the body is not valid, Conflict if another row of the person has the same value in the `once`
    column, and NotFound if the row is unknown or the caller may not change it.
    """
    checked = section.check(body)
    async with call.platform.database.transaction() as connection:
        reached, cpf = await _lock(connection, call, section, id_)
        await _require_references(connection, section, [checked])
        row = await store.update_section_row(connection, section, id_, checked)
        if row is None:
            raise _unknown(section)
        await call.platform.audit.record(connection, reached, "update", subject=cpf, fields=[section.member])
    return show_rows(reached, [row])[0]


async def delete_row(call: Call, section: Section, id_: UUID) -> Message:
    """Delete a row. Raises NotFound if the row is unknown or the caller may not change it."""
    async with call.platform.database.transaction() as connection:
        reached, cpf = await _lock(connection, call, section, id_)
        if not await store.delete_section_rows(connection, section, [id_]):
            raise _unknown(section)
        await call.platform.audit.record(connection, reached, "delete", subject=cpf, fields=[section.member])
    return Message("Item retirado do currículo.")


async def _lock(connection: Connection, call: Call, section: Section, id_: UUID) -> tuple[Call, Cpf]:
    """Lock the resume that contains a row. Return the call with the caller's right to the resume, and the owner's CPF.

    Raises NotFound if the row is unknown or the caller may not change it.
    """
    row = await store.read_section_row(connection, section, id_)
    if row is None or (reached := call.with_right_to(Cpf(row.cpf), WRITE_ANY)) is None:
        raise _unknown(section)
    reached.require_reason()
    await touch_resume(connection, Cpf(row.cpf))
    return reached, Cpf(row.cpf)


async def save_rows(connection: Connection, section: Section, cpf: Cpf, bodies: Sequence[Any]) -> list[Any]:
    """Replace a section of a locked resume, and return its stored rows.

    Unchanged rows keep their id and instants. Raises Invalid before any change for an invalid row, too many rows, an
    unknown reference value, or a repeated value of the `once` column.
    """
    checked = [section.check(body) for body in bodies]
    _require_few(section, checked)
    await _require_references(connection, section, checked)
    unmatched = await store.list_section_rows(connection, section, cpf)
    new = []
    for body in checked:
        same = next((row for row in unmatched if section.values(row) == section.values(body)), None)
        if same is None:
            new.append(body)
        else:
            unmatched.remove(same)
    if unmatched:
        await store.delete_section_rows(connection, section, [row.id for row in unmatched])
    if new:
        # Insert in reverse order. Lists show the newest row first, so the first row in the request comes first.
        await store.insert_section_rows(connection, section, cpf, new[::-1])
    return await store.list_section_rows(connection, section, cpf)


async def save_section(call: Call, section: Section, cpf: Cpf, bodies: Sequence[Any]) -> list[Any]:
    """Lock a resume and replace one section in the same way as `save_rows`."""
    async with call.platform.database.transaction() as connection:
        await touch_resume(connection, cpf)
        rows = await save_rows(connection, section, cpf, bodies)
        await call.platform.audit.record(connection, call, "update", subject=cpf, fields=[section.member])
    return show_rows(call, rows)


def _require_few(section: Section, bodies: Sequence[Any]) -> None:
    if len(bodies) > section.most:
        raise Invalid(f"O campo `{section.member}` aceita no máximo {section.most} itens.", code="section-size")
    if section.once is not None and len({getattr(body, section.once) for body in bodies}) < len(bodies):
        raise Invalid(f"O campo `{section.once}` se repete.", code="section-repeats")


async def _require_references(connection: Connection, section: Section, bodies: Sequence[Any]) -> None:
    for column, reference in section.references.items():
        wanted = {getattr(body, column) for body in bodies} - {None}
        if not await reference_values.are_known_values(connection, reference.kind, wanted):
            raise Invalid(f"O campo `{column}` tem um valor que não existe.", code="reference-not-found")


def _unknown(section: Section) -> NotFound:
    return NotFound(f"Não há {section.one.split(' ', 1)[1]} com este `id`.", code="section-row-unknown")
