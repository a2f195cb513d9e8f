"""The real gateway in its own process: `python -m tests.http.served DESCRIPTOR DATABASE_URL`.

It writes a line to standard output when it is ready.
"""

import asyncio
import signal
import socket
import sys

import uvloop

from balcao import app
from balcao.core import logs
from balcao.gateway import serving
from balcao.gateway.application import Served
from balcao.gateway.limits import Limits
from balcao.settings import Settings


async def serve(application: Served, limits: Limits = serving.DEFAULTS) -> None:
    """Serve on the inherited listening socket until SIGTERM."""
    logs.configure("error")
    stop = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
    async with serving.run_server(application, socket.socket(fileno=int(sys.argv[1])), limits):
        print("ready", flush=True)
        await stop.wait()


if __name__ == "__main__":
    uvloop.run(serve(app.build_application(Settings.load(), sys.argv[2])))
