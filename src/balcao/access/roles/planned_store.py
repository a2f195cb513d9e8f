"""SQL that writes a plan's changes to roles. `STATEMENTS` lists the statements for each operation."""

from collections.abc import Mapping, Sequence

from balcao.access.catalogue.events import PlannedStatement
from balcao.access.catalogue.store import ITEM_SQL
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement(f"""
{ITEM_SQL}
INSERT INTO access.role (id, name, description, origin, created_by) OVERRIDING SYSTEM VALUE
SELECT id, item.name, description, 'custom', author.name FROM item, author
""")
async def create_planned_roles(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
UPDATE access.role SET description = item.description FROM item WHERE role.id = item.id
""")
async def update_planned_roles(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
INSERT INTO access.role_action (role_id, action_id, granted_by)
SELECT role_id, action_id, author.name FROM item, author
ON CONFLICT DO NOTHING
""")
async def grant_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
DELETE FROM access.role_action USING item
WHERE role_action.role_id = item.role_id AND role_action.action_id = item.action_id
""")
async def revoke_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
DELETE FROM access.role USING item WHERE role.id = item.id
""")
async def delete_planned_roles(connection: Connection, rows: str, author: str | None) -> None: ...


STATEMENTS: Mapping[str, Sequence[PlannedStatement]] = {
    "role.create": (create_planned_roles,),
    "role.update": (update_planned_roles,),
    "role.grant": (grant_planned_actions,),
    "role.revoke": (revoke_planned_actions,),
    "role.delete": (delete_planned_roles,),
}
