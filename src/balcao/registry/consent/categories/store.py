"""SQL of the notification categories; rows are never deleted."""

import asyncpg

from balcao.core.database.pool import Connection, Row
from balcao.core.errors import Conflict
from balcao.registry.consent.categories.schemas import Category

_COLUMNS = 'id, name, description, default_opt_in, active, "order", created_at, updated_at'
_LIST = f"""
SELECT {_COLUMNS} FROM registry.notification_category WHERE active OR $1 ORDER BY "order", id COLLATE "C"
"""


async def list_categories(connection: Connection, *, inactive: bool) -> list[Category]:
    return [_category(row) for row in await connection.fetch(_LIST, inactive)]


_LOCK = f"SELECT {_COLUMNS} FROM registry.notification_category WHERE id = $1 FOR UPDATE"


async def lock(connection: Connection, id_: str) -> Category | None:
    """Lock the category until the transaction ends and return it."""
    row = await connection.fetchrow(_LOCK, id_)
    return _category(row) if row else None


# The last place is the highest that there is.
_ADD = f"""
INSERT INTO registry.notification_category (id, name, description, default_opt_in, active, "order")
VALUES ($1, $2, $3, $4, $5, coalesce($6, (SELECT least(max("order") + 1, 9999) FROM registry.notification_category), 1))
RETURNING {_COLUMNS}
"""


async def add(
    connection: Connection, id_: str, name: str, description: str, default_opt_in: bool, active: bool, order: int | None
) -> Category:
    """Insert a category. Raises Conflict when the id is taken, also by an inactive one."""
    try:
        return _category(await connection.fetchrow(_ADD, id_, name, description, default_opt_in, active, order))
    except asyncpg.UniqueViolationError:
        text = "Já existe uma categoria com este `id`; uma inativa volta a valer com `active` verdadeiro."
        raise Conflict(text, code="category-exists") from None


_SAVE = f"""
UPDATE registry.notification_category
SET name = $2, description = $3, default_opt_in = $4, active = $5, "order" = $6, updated_at = clock_timestamp()
WHERE id = $1
RETURNING {_COLUMNS}
"""


async def save(connection: Connection, changed: Category) -> Category:
    """Store the category and return it with its new time."""
    values = (changed.name, changed.description, changed.default_opt_in, changed.active, changed.order)
    return _category(await connection.fetchrow(_SAVE, changed.id, *values))


def _category(row: Row) -> Category:
    return Category(**dict(row))
