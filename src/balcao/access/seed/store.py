"""SQL for the seed data and for the list of items that have been written."""

from collections.abc import Mapping, Sequence

from balcao.access.seed.items import SeedItem
from balcao.core.database.pool import Connection
from balcao.core.database.statements import statement


@statement("SELECT kind, name, held FROM access.shipped_once")
async def list_written_items(connection: Connection) -> set[SeedItem]:
    """Return all items of the seed data that have ever been written."""


@statement("""
INSERT INTO access.shipped_once (kind, name, held)
SELECT kind, name, held
FROM unnest(:items.kind::text[], :items.name::text[], :items.held::text[]) AS item(kind, name, held)
""")
async def mark_items_written(connection: Connection, items: Sequence[SeedItem]) -> None: ...


@statement("""
SELECT item.value ->> 'key', access.declared_action(item.value ->> 'key', item.value ->> 'description')
FROM jsonb_array_elements(:actions::jsonb) WITH ORDINALITY AS item
""")
async def add_actions(connection: Connection, actions: Sequence[Mapping[str, str]]) -> list[str]:
    """Add the actions that are not registered yet. Return the code keys of all given actions."""
