"""SQL of the seed data: what of it has been written, once and for all."""

from collections.abc import Sequence
from typing import Any

from balcao.access.seed.items import SeedItem
from balcao.core.database.pool import Connection, json_text

_WRITTEN = "SELECT kind, name, held FROM access.shipped_once"


async def list_written(connection: Connection) -> set[SeedItem]:
    """Return everything of the seed data that any release has written here."""
    return {SeedItem(*row) for row in await connection.fetch(_WRITTEN)}


_MARK = """
INSERT INTO access.shipped_once (kind, name, held)
SELECT kind, name, held FROM jsonb_to_recordset($1::jsonb) AS item(kind text, name text, held text)
"""


async def mark_written(connection: Connection, items: Sequence[SeedItem]) -> None:
    if items:
        await connection.execute(_MARK, json_text([item._asdict() for item in items]))


_ADD_ACTIONS = """
SELECT access.declared_action(item.value ->> 'key', item.value ->> 'description'), item.value ->> 'key' AS key
FROM jsonb_array_elements($1::jsonb) WITH ORDINALITY AS item
"""


async def add_actions(connection: Connection, actions: Sequence[Any]) -> list[str]:
    """Return the code keys of the actions that were made or, by an early registration, already there."""
    return [row["key"] for row in await connection.fetch(_ADD_ACTIONS, json_text(actions))]
