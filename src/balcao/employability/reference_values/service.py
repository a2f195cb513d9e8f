"""Reading and changing reference values; all ten kinds behave alike."""

from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.http.responses import etag_of, require_match
from balcao.employability.reference_values import store
from balcao.employability.reference_values.kinds import Kind
from balcao.employability.reference_values.schemas import ReferenceBody, ReferenceValue
from balcao.employability.texts import clean_line

MAX_LENGTH = 255


async def read_value(call: Call, kind: Kind, id_: UUID) -> ReferenceValue:
    """Return a value. Raises NotFound, also for an id of another kind."""
    async with call.platform.database.connection() as connection:
        return _require(await store.read(connection, kind, id_))


async def replace_value(call: Call, kind: Kind, id_: UUID, body: ReferenceBody) -> ReferenceValue:
    """Replace a value's text and return the row as stored.

    Raises Invalid, NotFound, PreconditionFailed, and Conflict for the text of another value.
    """
    descricao = clean_line("descricao", body.descricao, MAX_LENGTH)
    async with call.platform.database.transaction() as connection:
        current = _require(await store.lock(connection, kind, id_))
        require_match(call.if_match, etag_of(msgspec.json.encode(current)))
        stored = await store.update_descricao(connection, id_, descricao)
        await call.platform.audit.record(connection, call, "update", fields=["descricao"])
    return stored


def _require(value: ReferenceValue | None) -> ReferenceValue:
    if value is None:
        raise NotFound("Não há registro com este `id`.", code="reference-unknown")
    return value
