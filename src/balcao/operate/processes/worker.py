"""The role that runs the queued jobs of all services."""

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
    """Run jobs during the block. When it ends, finish the running jobs.

    If the event loop is blocked, the process exits, so that the supervisor or systemd replaces it.
    """
    platform = assemble(settings, order.database_url, order.group("worker"))
    async with app.open_services(platform), processes.maintain_note(platform, []):
        worker = Worker(platform.database, app.list_job_kinds(), platform)
        task = asyncio.create_task(worker.run())
        try:
            with watching(worker.pulse, settings.worker_stall_timeout, channel.end_process):
                yield task
        finally:
            worker.stop()
            await task
