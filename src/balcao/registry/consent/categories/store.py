"""SQL for the notification categories. Rows are never deleted."""

import asyncpg

from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Source
from balcao.core.database.statements import statement
from balcao.core.errors import Conflict
from balcao.registry.consent.categories.schemas import Category

_COLUMNS = 'id, name, description, default_opt_in, active, "order", created_at, updated_at'


@statement(f"""
SELECT {_COLUMNS} FROM registry.notification_category WHERE active OR :inactive ORDER BY "order", id COLLATE "C"
""")
async def select_consent_categories(connection: Connection, *, inactive: bool) -> list[Category]: ...


@statement(f"SELECT {_COLUMNS} FROM registry.notification_category WHERE id = :id_ FOR UPDATE")
async def lock_category(connection: Connection, id_: str) -> Category | None:
    """Lock the category until the transaction ends, and return it."""


@lookup("SELECT name FROM registry.notification_category WHERE id = :id_")
async def find_category_name(source: Source, id_: str) -> str | None:
    """Return the name of a category, active or not, or None if the category is unknown."""


async def insert_category(
    connection: Connection, id_: str, name: str, description: str, default_opt_in: bool, active: bool, order: int | None
) -> Category:
    """Insert a category. Raises Conflict if another category has this id, even an inactive one."""
    try:
        return await _insert_category(connection, id_, name, description, default_opt_in, active, order)
    except asyncpg.UniqueViolationError:
        text = "Já existe uma categoria com este `id`; uma inativa volta a valer com `active` verdadeiro."
        raise Conflict(text, code="category-exists") from None


# Without `order`, the new category is placed last. 9999 is the highest allowed `order`.
@statement(f"""
INSERT INTO registry.notification_category (id, name, description, default_opt_in, active, "order")
VALUES (
    :id_, :name, :description, :default_opt_in, :active,
    coalesce(:order, (SELECT least(max("order") + 1, 9999) FROM registry.notification_category), 1))
RETURNING {_COLUMNS}
""")
async def _insert_category(
    connection: Connection, id_: str, name: str, description: str, default_opt_in: bool, active: bool, order: int | None
) -> Category: ...


@statement(f"""
UPDATE registry.notification_category
SET name = :name, description = :description, default_opt_in = :default_opt_in, active = :active, "order" = :order,
    updated_at = clock_timestamp()
WHERE id = :id
RETURNING {_COLUMNS}
""")
async def update_category(connection: Connection, changed: Category) -> Category:
    """Store the changed category. Return it with its new modification time."""


OFFERED = (find_category_name,)
