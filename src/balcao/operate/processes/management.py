"""The management port, beside another role."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao import app
from balcao.gateway import serving
from balcao.gateway.limits import Limits
from balcao.operate.processes.channel import Order
from balcao.settings import Settings

# Nobody connects at the last moment but who asks again.
LIMITS = Limits(settling_seconds=0, drain_seconds=1)


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Answer for all processes within the block, whatever they do."""
    watched = order.watched
    role = watched.processes[0].partition("-")[0]
    application = app.build_management(
        settings, order.database_url, order.group(role), watched.processes, with_jobs=watched.with_jobs
    )
    async with serving.running(application, socket.socket(fileno=order.sockets["management"]), LIMITS) as task:
        yield task
