"""An ASGI application under uvicorn as a child process: on an inherited socket, reporting when it answers."""

import asyncio
import socket

import uvicorn

from balcao.cli.parts import orders
from balcao.cli.parts.orders import Order, Report

NOT_STARTED = 3


def run(server: uvicorn.Server, order: Order) -> int:
    """Until the parent ends or a SIGTERM comes; uvicorn then ends the process by the same signal."""
    orders.end_with_parent()
    with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
        runner.run(_serve(server, socket.socket(fileno=order.socket)))
    return 0 if server.started else NOT_STARTED


async def _serve(server: uvicorn.Server, listening: socket.socket) -> None:
    telling = asyncio.create_task(_tell(server))
    await server.serve(sockets=[listening])
    telling.cancel()


async def _tell(server: uvicorn.Server) -> None:
    while not server.started:  # noqa: ASYNC110 - uvicorn tells it in no other way
        await asyncio.sleep(0.01)
    orders.report(Report())
