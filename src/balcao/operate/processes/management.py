"""The role that serves the management port. Its process also has another role."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.gateway import serving
from balcao.gateway.application import Application
from balcao.gateway.limits import Limits
from balcao.operate.processes.channel import Order
from balcao.settings import Settings

# On shutdown, this port closes almost immediately, because only monitoring connects to it, and monitoring retries.
LIMITS = Limits(settling_seconds=0, drain_seconds=1)


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve the management port for all processes during the block."""
    application = _build(settings, order)
    async with serving.run_server(application, socket.socket(fileno=order.sockets["management"]), LIMITS) as task:
        yield task


def _build(settings: Settings, order: Order) -> Application:
    """Build the application of the port. If the process serves only the panel, this imports no service."""
    watched = order.watched
    role = watched.processes[0].partition("-")[0]
    if role == "panel":
        from balcao.core.context.metrics import Metrics
        from balcao.core.telemetry import telemetry
        from balcao.gateway import management
        from balcao.panel.application import describe_database

        database = describe_database(settings).connect(settings, order.database_url)
        database = database.separate_pool(management.CONNECTIONS)
        database.is_serving = True
        metrics = Metrics(telemetry, order.group(role))
        return management.build_management(settings, database, metrics, (), watched.processes, with_jobs=False)
    from balcao import app

    return app.build_management(
        settings, order.database_url, order.group(role), watched.processes, with_jobs=watched.with_jobs
    )
