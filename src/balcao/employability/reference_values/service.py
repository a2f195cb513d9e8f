"""Reads and changes reference values. All ten kinds behave the same way (rules: employability 2.2)."""

from collections.abc import Collection
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.lists import ListMeta
from balcao.employability.reference_values import store
from balcao.employability.reference_values.kinds import RANKED, Kind, ValueKey
from balcao.employability.reference_values.schemas import (
    LAST_POSITION,
    MOST_PER_PAGE,
    ReferenceBody,
    ReferenceValue,
    ReferenceValues,
)
from balcao.employability.schemas import Message
from balcao.employability.texts import clean_line

MAX_LENGTH = 255


async def list_values(call: Call, kind: Kind, page: Page) -> ReferenceValues:
    """Return a page of the values of one kind, in the order of their table."""
    async with call.reader.connection() as connection:
        values, total = await store.select_values(connection, kind, page)
    return ReferenceValues(values, ListMeta.of(page, total))


async def read_value(call: Call, kind: Kind, id_: UUID) -> ReferenceValue:
    """Return a value. Raises NotFound if no value of this kind has this id."""
    return _require(await store.select_value(call.platform.database, kind, id_))


async def list_values_of_kind(connection: Connection, kind: Kind) -> list[ReferenceValue]:
    """Return up to MOST_PER_PAGE values of one kind, in the order of their table."""
    values, _ = await store.select_values(connection, kind, Page(1, MOST_PER_PAGE))
    return values


async def are_known_values(connection: Connection, kind: Kind, ids: Collection[UUID]) -> bool:
    """Return whether all of these ids are values of the kind."""
    return not ids or not await store.list_unknown_values(connection, [ValueKey(kind, id_) for id_ in ids])


async def create_value(call: Call, kind: Kind, body: ReferenceBody) -> bytes:
    """Add a value at the given position, by default at the end, and return it as JSON.

    Raises Invalid if the text or the position is not valid. Raises Conflict if another value of the kind has the same
    text, or if the idempotency key was used for another request.
    """
    descricao, ordem = check_value(kind, body)

    async def insert() -> ReferenceValue:
        value = await store.insert_value(connection, kind, descricao, ordem)
        await call.platform.audit.record(connection, call, "create", fields=["descricao"])
        return value

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [kind, body], insert)


async def replace_value(call: Call, kind: Kind, id_: UUID, body: ReferenceBody) -> ReferenceValue:
    """Replace a value's text and, if one is sent, its position. Return the stored value.

    Raises Invalid if the text or the position is not valid, NotFound if the value does not exist, PreconditionFailed if
    `If-Match` does not match, and Conflict if another value of the kind has the same text.
    """
    descricao, ordem = check_value(kind, body)
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, kind, id_)
        stored = await store.update_value(connection, id_, descricao, ordem)
        await call.platform.audit.record(connection, call, "update", fields=["descricao"])
    return stored


async def delete_value(call: Call, kind: Kind, id_: UUID) -> Message:
    """Delete a value.

    Raises NotFound if it does not exist, PreconditionFailed if `If-Match` does not match, and Conflict if a job or a
    resume uses it.
    """
    async with call.platform.database.transaction() as connection:
        await _lock(connection, call, kind, id_)
        await store.delete_value(connection, id_)
        await call.platform.audit.record(connection, call, "delete", fields=["descricao"])
    return Message("Registro excluído.")


async def _lock(connection: Connection, call: Call, kind: Kind, id_: UUID) -> None:
    current = _require(await store.lock_value(connection, kind, id_))
    require_match(call.if_match, etag_of(msgspec.json.encode(current)))


def check_value(kind: Kind, body: ReferenceBody) -> tuple[str, int | None]:
    """Validate a value, and return its text and its position. The position is None if it was not sent.

    Raises Invalid if the text or the position is not valid.
    """
    return clean_line("descricao", body.descricao, MAX_LENGTH), _check_position(kind, body)


def _check_position(kind: Kind, body: ReferenceBody) -> int | None:
    """Return the sent position, or None. Kinds without ranks ignore the position, like any unknown member."""
    if kind not in RANKED or body.ordem is None:
        return None
    if not 1 <= body.ordem <= LAST_POSITION:
        raise Invalid(f"O campo `ordem` deve ser um número inteiro de 1 a {LAST_POSITION}.", code="ordem-invalid")
    return body.ordem


def _require(value: ReferenceValue | None) -> ReferenceValue:
    if value is None:
        raise NotFound("Não há registro com este `id`.", code="reference-unknown")
    return value
