"""The gateway and the services of one process, under the real server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvicorn

from balcao import app
from balcao.cli.processes import serving
from balcao.cli.processes.channel import Order
from balcao.gateway.asgi import Application
from balcao.settings import Settings

GRACE_SECONDS = 10


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Answer on the inherited socket; calls that run are finished first."""
    application = app.build(settings, order.database_url, order.services, order.group("api"))
    async with serving.running(configuration(application), order.sockets["api"]) as task:
        yield task


def configuration(application: Application) -> uvicorn.Config:
    """Takes no address from headers that any caller can send, and names neither itself nor its version."""
    return uvicorn.Config(
        application,
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
