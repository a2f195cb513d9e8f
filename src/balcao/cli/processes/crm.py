"""The sandbox CRM."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.cli.processes import serving
from balcao.cli.processes.channel import Order
from balcao.crm.sandbox.server import build_server
from balcao.settings import Settings


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve on a port of its own, whichever process it runs in."""
    async with serving.running(build_server(settings).config, order.sockets["crm"]) as task:
        yield task
