"""The management port, beside another role."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.gateway import serving
from balcao.gateway.application import Application
from balcao.gateway.limits import Limits
from balcao.operate.processes.channel import Order
from balcao.settings import Settings

# Nobody connects at the last moment but who asks again.
LIMITS = Limits(settling_seconds=0, drain_seconds=1)


@asynccontextmanager
async def run(settings: Settings, order: Order) -> AsyncIterator["asyncio.Task[None]"]:
    """Answer for all processes within the block, whatever they do."""
    application = _build(settings, order)
    async with serving.running(application, socket.socket(fileno=order.sockets["management"]), LIMITS) as task:
        yield task


def _build(settings: Settings, order: Order) -> Application:
    """Return what answers; a process of the panel alone loads no service for it."""
    watched = order.watched
    role = watched.processes[0].partition("-")[0]
    if role == "panel":
        from balcao.core.context.metrics import Metrics
        from balcao.core.telemetry import telemetry
        from balcao.gateway import management
        from balcao.panel.application import make_database

        database = make_database(settings, order.database_url).apart(management.CONNECTIONS)
        database.is_serving = True
        metrics = Metrics(telemetry, order.group(role))
        return management.build(settings, database, metrics, (), watched.processes, with_jobs=False)
    from balcao import app

    return app.build_management(
        settings, order.database_url, order.group(role), watched.processes, with_jobs=watched.with_jobs
    )
