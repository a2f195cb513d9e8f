"""SQL that writes a plan's changes to mappings. `STATEMENTS` lists the statements for each operation."""

from collections.abc import Mapping, Sequence

from balcao.access.catalogue.events import PlannedStatement
from balcao.access.catalogue.store import ITEM_SQL
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement(f"""
{ITEM_SQL}
DELETE FROM access.endpoint_mapping USING item WHERE endpoint_mapping.id = item.id
""")
async def delete_planned_mappings(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
INSERT INTO access.endpoint_mapping (id, method, path_pattern, action_id, description, created_by)
OVERRIDING SYSTEM VALUE
SELECT id, method, path_pattern, action_id, description, author.name FROM item, author
""")
async def create_planned_mappings(connection: Connection, rows: str, author: str | None) -> None: ...


@statement(f"""
{ITEM_SQL}
UPDATE access.endpoint_mapping
SET path_pattern = item.path_pattern, action_id = item.action_id, description = item.description,
    updated_at = now()
FROM item WHERE endpoint_mapping.id = item.id
""")
async def update_planned_mappings(connection: Connection, rows: str, author: str | None) -> None: ...


# `item` contains the ids of the actions to delete. Retired mappings still refer to their actions, so delete them too.
@statement(f"""
{ITEM_SQL}
DELETE FROM access.endpoint_mapping USING item
WHERE endpoint_mapping.action_id = item.id AND (operation_key IS NULL OR retired_at IS NOT NULL)
""")
async def delete_mappings_of_planned_actions(connection: Connection, rows: str, author: str | None) -> None: ...


STATEMENTS: Mapping[str, Sequence[PlannedStatement]] = {
    "mapping.delete": (delete_planned_mappings,),
    "mapping.create": (create_planned_mappings,),
    "mapping.update": (update_planned_mappings,),
}
