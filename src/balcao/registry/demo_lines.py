"""Demo data that the city would load from files: written as the import writes them, under the owner's role."""

from collections.abc import Sequence
from typing import Any

from balcao.core.database import Database
from balcao.core.platform import Platform
from balcao.registry.loading import Load


async def load_lines(platform: Platform, load: Load, lines: Sequence[Any]) -> None:
    """Idempotent, as every load."""
    owner = Database(platform.database.url, size=1, role=None)
    await owner.open()
    try:
        async with owner.transaction() as connection:
            await load.write(connection, lines)
    finally:
        await owner.close()
