"""The worker: runs the queued jobs of every service."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao import app
from balcao.core.context.platform import assemble
from balcao.core.jobs.pulse import watching
from balcao.core.jobs.worker import Worker
from balcao.core.live import processes
from balcao.operate.processes import channel
from balcao.operate.processes.channel import Order
from balcao.settings import Settings


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Run jobs within the block; those that run when it ends are finished first.

    The process ends when the loop stands still, so that whoever started it replaces it.
    """
    platform = assemble(settings, order.database_url, order.group("worker"))
    async with app.open_services(platform), processes.noting(platform, []):
        worker = Worker(platform.database, app.list_jobs(), platform)
        task = asyncio.create_task(worker.run())
        try:
            with watching(worker.pulse, settings.worker_stall_timeout, channel.end_process):
                yield task
        finally:
            worker.stop()
            await task
