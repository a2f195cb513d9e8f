"""The role that serves the gateway and the services."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from balcao import app
from balcao.gateway import serving
from balcao.gateway.limits import Limits
from balcao.operate.doctor.issuers import warning_of_issuers
from balcao.operate.processes.channel import Order
from balcao.settings import Settings


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve on the inherited socket during the block. When it ends, finish the requests in flight."""
    application = app.build_application(settings, order.database_url, order.services, order.group("api"))
    async with AsyncExitStack() as running:
        sock = socket.socket(fileno=order.sockets["api"])
        task = await running.enter_async_context(serving.run_server(application, sock, Limits.of(settings)))
        # Only one process checks the providers. An embedded provider needs no check, because it is part of this
        # process.
        if order.number == 0 and not settings.embedded_identity:
            await running.enter_async_context(warning_of_issuers(settings))
        yield task
