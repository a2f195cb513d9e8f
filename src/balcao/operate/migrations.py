"""Migrate the configured database as its owner."""

import asyncio
from collections.abc import Callable

from balcao import app
from balcao.core.database.migrations import Migration
from balcao.operate import database
from balcao.settings import Settings


def count_migrations() -> int:
    """Return the number of all migrations."""
    return len(app.list_migrations())


def migrate_database(on_migration: Callable[[Migration], None]) -> int:
    """Apply the missing migrations, and return their number. If necessary, create an embedded database first."""
    settings = Settings.load()
    with database.open_database(settings, create=True) as url:
        return asyncio.run(_migrate(settings, url, on_migration))


async def _migrate(settings: Settings, url: str, on_migration: Callable[[Migration], None]) -> int:
    owner_url = await database.require_owner(settings, url)
    await database.refuse_demo_data(settings, owner_url)
    role = database.make_role(settings)
    return await app.bring_up_to_date(owner_url, role, on_migration)
