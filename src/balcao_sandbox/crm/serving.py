"""Runs an ASGI application in uvicorn on an inherited socket, as one role of a process."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager

import uvicorn

from balcao.gateway import listening


class NotStarted(Exception):
    """Raised if the application did not start. The log contains the reason."""


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signal handling to the process, because the process may have other roles."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def run_crm_server(configuration: uvicorn.Config, descriptor: int) -> AsyncIterator["asyncio.Task[None]"]:
    """Serve while the block runs. The block is entered when the server accepts connections.

    Raises NotStarted if the application does not start.
    """
    server, sock = _Server(configuration), socket.socket(fileno=descriptor)
    listening.accept_first(sock)
    task = asyncio.create_task(server.serve(sockets=[sock]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn has no event for this
        await asyncio.sleep(0.01)
    if not server.started:
        await task
        raise NotStarted
    try:
        yield task
    finally:
        server.should_exit = True
        await task
