"""Imports rows into the test's database with the import code of a feature."""

import asyncio
from typing import Any

import msgspec

from balcao.core.database.pool import Database
from balcao.core.imports.declaration import Import


def load(database_url: str, wanted: Import, *lines: dict[str, Any]) -> int:
    """Import the lines under the owner's role, and return how many rows are new or changed."""
    rows = [msgspec.json.decode(msgspec.json.encode(line), type=wanted.row) for line in lines]
    return asyncio.run(_load(database_url, wanted, rows))


async def _load(database_url: str, wanted: Import, rows: list[Any]) -> int:
    owner = Database(database_url, size=1, role=None)
    await owner.open()
    try:
        async with owner.transaction() as connection:
            return await wanted.write_batch(connection, rows)
    finally:
        await owner.close()
