"""Start a schema migration of the search, and follow its progress."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from balcao.core.context.call import Call
from balcao.search.schema_migrations import service
from balcao.search.schema_migrations.schemas import IdentifiedStatus, StartBody
from balcao.search.schema_migrations.work import carry_on

POLL_SECONDS = 0.3
OnProgress = Callable[[IdentifiedStatus], None]


async def start_migration(call: Call, body: StartBody, on_progress: OnProgress | None) -> IdentifiedStatus:
    """Start a migration. Return its final status if progress is shown, otherwise its initial status."""
    started = await service.start_migration(call, body)
    if started.migration_id is None or on_progress is None:
        return started
    working = asyncio.create_task(_run_migration(call, started.migration_id))
    try:
        while True:
            status = await service.read_run(call, started.migration_id)
            on_progress(status)
            if status.status != "in_progress":
                return status
            await asyncio.sleep(POLL_SECONDS)
    finally:
        working.cancel()
        with suppress(asyncio.CancelledError):
            await working


async def _run_migration(call: Call, run_id: str) -> None:
    """Carry out the migration as a worker does, because no worker may be running for this database."""
    while (held_for := await carry_on(call.platform, run_id)) is not None:  # noqa: ASYNC110 - a lease expires by time
        await asyncio.sleep(max(held_for.total_seconds(), POLL_SECONDS))
