"""SQL that writes a plan's changes to groups. `STATEMENTS` lists the statements for each operation."""

from collections.abc import Mapping, Sequence

from balcao.access.catalogue.events import PlannedStatement
from balcao.access.catalogue.store import ITEM_SQL
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement(f"""
{ITEM_SQL}
INSERT INTO access.grp (id, name, description, attributes, origin, created_by) OVERRIDING SYSTEM VALUE
SELECT id, item.name, description, attributes, 'custom', author.name FROM item, author
""")
async def create_planned_groups(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
UPDATE access.grp SET description = item.description, attributes = item.attributes
FROM item WHERE grp.id = item.id
""")
async def update_planned_groups(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
INSERT INTO access.group_role (group_id, role_id, granted_by)
SELECT group_id, role_id, author.name FROM item, author
ON CONFLICT DO NOTHING
""")
async def assign_planned_roles(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
DELETE FROM access.group_role USING item
WHERE group_role.group_id = item.group_id AND group_role.role_id = item.role_id
""")
async def remove_planned_roles(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
DELETE FROM access.grp USING item WHERE grp.id = item.id
""")
async def delete_planned_groups(connection: Connection, rows: str, author: str | None) -> None: ...


STATEMENTS: Mapping[str, Sequence[PlannedStatement]] = {
    "group.create": (create_planned_groups,),
    "group.update": (update_planned_groups,),
    "group.assign_role": (assign_planned_roles,),
    "group.remove_role": (remove_planned_roles,),
    "group.delete": (delete_planned_groups,),
}
