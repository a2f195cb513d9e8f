"""The sandbox CRM as a role of a `balcao serve` process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.operate.processes.channel import Order
from balcao.settings import Settings
from balcao_sandbox.crm import serving
from balcao_sandbox.crm.server import build_server


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve the CRM on the inherited socket while the block runs."""
    async with serving.run_crm_server(build_server(settings).config, order.sockets["crm"]) as task:
        yield task
