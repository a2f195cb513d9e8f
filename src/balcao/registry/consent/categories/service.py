"""Read and maintain notification categories. Anyone may read the active ones; staff maintain them.

An id is never reused.
"""

import re
from typing import Any

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.text import clean_text
from balcao.registry.consent.categories import store
from balcao.registry.consent.categories.paths import ID
from balcao.registry.consent.categories.schemas import Categories, Category, CategoryChanges, CategoryCreation

NAME_LENGTH = 100
DESCRIPTION_LENGTH = 500


async def list_consent_categories(call: Call, *, inactive: bool) -> Categories:
    """Return the categories in display order. Inactive categories are included only if `inactive` is true."""
    async with call.reader.connection() as connection:
        return Categories(await store.select_consent_categories(connection, inactive=inactive))


async def create_consent_category(call: Call, body: CategoryCreation) -> Category:
    """Create a category. Raises Invalid for an invalid body, and Conflict if the id is taken."""
    id_ = body.id.strip()
    if not re.fullmatch(ID, id_):
        raise Invalid(
            "O campo `id` deve ter de 2 a 50 letras minúsculas sem acento, algarismos ou `_`, a começar por uma letra.",
            code="id-invalid",
        )
    name = clean_text("name", body.name, longest=NAME_LENGTH)
    description = clean_text("description", body.description, longest=DESCRIPTION_LENGTH)
    order = None if body.order is UNSET else body.order
    async with call.platform.database.transaction() as connection:
        created = await store.insert_category(
            connection, id_, name, description, body.default_opt_in, body.active, order
        )
        await call.platform.audit.record(connection, call, "create", fields=["category"])
    return created


async def update_category(call: Call, id_: str, body: CategoryChanges) -> Category:
    """Change the members that the body contains, and return the category.

    Raises Invalid for an invalid body, NotFound for an unknown category, and PreconditionFailed if `If-Match` does not
    match.
    """
    changes = _clean_changes(body)
    async with call.platform.database.transaction() as connection:
        current = await _lock(connection, call, id_)
        changed = msgspec.structs.replace(current, **changes)
        if changed == current:
            return current
        stored = await store.update_category(connection, changed)
        await call.platform.audit.record(connection, call, "update", fields=list(changes))
    return stored


async def deactivate_category(call: Call, id_: str) -> None:
    """Deactivate the category. Do nothing if it is already inactive.

    Raises NotFound for an unknown category, and PreconditionFailed if `If-Match` does not match.
    """
    async with call.platform.database.transaction() as connection:
        current = await _lock(connection, call, id_)
        if current.active:
            await store.update_category(connection, msgspec.structs.replace(current, active=False))
            await call.platform.audit.record(connection, call, "delete", fields=["category"])


def _clean_changes(body: CategoryChanges) -> dict[str, Any]:
    changes = {name: value for name, value in msgspec.structs.asdict(body).items() if value is not UNSET}
    if not changes:
        raise Invalid(
            "Não há o que alterar: envie `name`, `description`, `default_opt_in`, `active` ou `order`.",
            code="nothing-to-change",
        )
    for name, longest in (("name", NAME_LENGTH), ("description", DESCRIPTION_LENGTH)):
        if name in changes:
            changes[name] = clean_text(name, changes[name], longest=longest)
    return changes


async def _lock(connection: Connection, call: Call, id_: str) -> Category:
    """Lock the category until the transaction ends, and return it.

    A malformed id counts as unknown, without a query. Raises NotFound for an unknown category, and PreconditionFailed
    if `If-Match` does not match.
    """
    current = await store.lock_category(connection, id_) if re.fullmatch(ID, id_) else None
    if current is None:
        raise NotFound("Não há categoria com este `id`.", code="category-unknown")
    require_match(call.if_match, etag_of(msgspec.json.encode(current)))
    return current
