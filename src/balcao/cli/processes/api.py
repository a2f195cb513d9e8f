"""The gateway and the services of one process, under the real server."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao import app
from balcao.cli.processes.channel import Order
from balcao.gateway import serving
from balcao.settings import Settings


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve on the inherited socket; requests in flight are finished when the block ends."""
    application = app.build(settings, order.database_url, order.services, order.group("api"))
    async with serving.running(application, socket.socket(fileno=order.sockets["api"])) as task:
        yield task
