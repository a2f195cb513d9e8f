"""The categories that citizens choose among: listed for everybody, kept by staff; an id is for ever."""

import re
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.http.responses import etag_of, require_match
from balcao.core.values.text import clean
from balcao.registry.consent.categories import store
from balcao.registry.consent.categories.paths import ID
from balcao.registry.consent.categories.schemas import Categories, Category, CategoryChanges, NewCategory

NAME_LENGTH = 100
DESCRIPTION_LENGTH = 500


async def list_active(call: Call) -> Categories:
    return await _listed(call, inactive=False)


async def list_all(call: Call) -> Categories:
    return await _listed(call, inactive=True)


async def _listed(call: Call, *, inactive: bool) -> Categories:
    async with call.platform.database.connection() as connection:
        return Categories(await store.listed(connection, inactive=inactive))


async def create(call: Call, body: NewCategory) -> Category:
    """Raises Invalid, and Conflict for a taken id."""
    id_ = body.id.strip()
    if not re.fullmatch(ID, id_):
        raise Invalid(
            "O campo `id` deve ter de 2 a 50 letras minúsculas sem acento, algarismos ou `_`, a começar por uma letra.",
            code="id-invalid",
        )
    name = clean("name", body.name, longest=NAME_LENGTH)
    description = clean("description", body.description, longest=DESCRIPTION_LENGTH)
    order = None if body.order is UNSET else body.order
    async with call.platform.database.transaction() as connection:
        made = await store.add(connection, id_, name, description, body.default_opt_in, body.active, order)
        await call.platform.audit.record(connection, call, "create", fields=["category"])
    return made


async def update(call: Call, id_: str, body: CategoryChanges) -> Category:
    """What is left out is kept. Raises Invalid, NotFound and PreconditionFailed."""
    changes = _cleaned(body)
    async with call.platform.database.transaction() as connection:
        held = await _locked(connection, call, id_)
        wanted = msgspec.structs.replace(held, **changes)
        if wanted == held:
            return held
        stored = await store.save(connection, wanted)
        await call.platform.audit.record(connection, call, "update", fields=list(changes))
    return stored


async def deactivate(call: Call, id_: str) -> None:
    """Again is nothing. Raises NotFound and PreconditionFailed."""
    async with call.platform.database.transaction() as connection:
        held = await _locked(connection, call, id_)
        if held.active:
            await store.save(connection, msgspec.structs.replace(held, active=False))
            await call.platform.audit.record(connection, call, "delete", fields=["category"])


def _cleaned(body: CategoryChanges) -> dict[str, Any]:
    changes = {name: value for name, value in msgspec.structs.asdict(body).items() if value is not UNSET}
    if not changes:
        raise Invalid(
            "Não há o que alterar: envie `name`, `description`, `default_opt_in`, `active` ou `order`.",
            code="nothing-to-change",
        )
    for name, longest in (("name", NAME_LENGTH), ("description", DESCRIPTION_LENGTH)):
        if name in changes:
            changes[name] = clean(name, changes[name], longest=longest)
    return changes


async def _locked(connection: Connection, call: Call, id_: str) -> Category:
    """An id that has not the form of one is not looked up."""
    held = await store.lock(connection, id_) if re.fullmatch(ID, id_) else None
    if held is None:
        raise NotFound("Não há categoria com este `id`.", code="category-unknown")
    require_match(call.if_match, etag_of(msgspec.json.encode(held)))
    return held
