"""The role that serves the panel without the services."""

import socket
from asyncio import Task
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.gateway import serving
from balcao.gateway.limits import Limits
from balcao.operate.processes.channel import Order
from balcao.panel import standalone
from balcao.settings import Settings


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator[Task[None]]:
    """Serve on the inherited socket during the block. When it ends, finish the requests in flight."""
    application = standalone.build(settings, order.database_url, order.group("panel"))
    sock = socket.socket(fileno=order.sockets["panel"])
    async with serving.run_server(application, sock, Limits.of(settings)) as task:
        yield task
