"""Delete unused files, the contents of deleted files, and contents without a row in the background."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.files.storage import FileStorage
from balcao.core.jobs.worker import JobKind, is_stopping
from balcao.core.logs import log
from balcao.core.values.clock import utc_now
from balcao.core.values.ids import parse_uuid
from balcao.registry.person.files import store

# The maximum number of files deleted by one statement. It is small because each file also needs a call to the storage.
BATCH = 100
# A call stores the row within seconds of the content, so older content without a row is left over from a failed call.
OLDEST_UNCOMMITTED = timedelta(hours=24)


async def delete_files(platform: Platform, _: Mapping[str, Any]) -> None:
    """Delete a batch of unused files, and then the contents of all deleted files."""
    async with platform.database.transaction() as connection:
        await store.delete_expired_files(connection, BATCH)
    storage = platform.part(FileStorage)
    while not is_stopping():
        async with platform.database.connection() as connection:
            deleted = await store.list_deleted_files(connection, BATCH)
        for id in deleted:
            await storage.delete(str(id))
            async with platform.database.connection() as connection:
                await store.forget_deleted_file(connection, id)
        if len(deleted) < BATCH:
            return


async def sweep_storage(platform: Platform, _: Mapping[str, Any]) -> None:
    """Delete contents that have had no row for a day, because their calls failed after storing the content."""
    storage, swept = platform.part(FileStorage), 0
    async for names in storage.list_older(utc_now() - OLDEST_UNCOMMITTED):
        for orphan in await _find_orphans(platform, [id for name in names if (id := parse_uuid(name)) is not None]):
            await storage.delete(str(orphan))
            swept += 1
        if is_stopping():
            break
    if swept:
        log.warning("files.swept", count=swept)


async def _find_orphans(platform: Platform, ids: list[UUID]) -> list[UUID]:
    async with platform.database.connection() as connection:
        return await store.find_orphans(connection, ids) if ids else []


JOBS = [
    JobKind(
        "registry.delete_files", delete_files, first_delay=timedelta(seconds=10), max_concurrent=1, cron="* * * * *"
    ),
    JobKind(
        "registry.sweep_files", sweep_storage, first_delay=timedelta(minutes=5), max_concurrent=1, cron="45 5 * * *"
    ),
]
