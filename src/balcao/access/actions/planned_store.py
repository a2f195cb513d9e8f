"""SQL that writes a plan's changes to actions. `STATEMENTS` lists the statements for each operation.

Updated actions first get a temporary name, so that two actions can swap names.
"""

from collections.abc import Mapping, Sequence

from balcao.access.catalogue.events import PlannedStatement
from balcao.access.catalogue.store import ITEM_SQL
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement(f"""
{ITEM_SQL}
UPDATE access.action SET name = 'aside ' || action.id FROM item WHERE action.id = item.id
""")
async def name_planned_actions_temporarily(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
UPDATE access.action
SET name = item.name, description = item.description, row_version = row_version + 1, updated_at = now()
FROM item WHERE action.id = item.id
""")
async def update_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
INSERT INTO access.action (id, name, description, origin, created_by) OVERRIDING SYSTEM VALUE
SELECT id, item.name, description, 'custom', author.name FROM item, author
""")
async def create_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
DELETE FROM access.action USING item WHERE action.id = item.id
""")
async def delete_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


STATEMENTS: Mapping[str, Sequence[PlannedStatement]] = {
    "action.update": (name_planned_actions_temporarily, update_planned_actions),
    "action.create": (create_planned_actions,),
    "action.delete": (delete_planned_actions,),
}
