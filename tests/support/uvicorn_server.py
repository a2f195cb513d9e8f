"""Runs third-party programs, and other programs that our server cannot serve, in a thread with its own event loop."""

import threading
import time
from typing import Any, Self

import uvicorn

from tests.support.polling import PATIENCE
from tests.support.server import free_port


class RunningUvicorn:
    """A running uvicorn server, as a context manager. The block starts when the server is ready."""

    def __init__(self, server: uvicorn.Server) -> None:
        self._server = server
        self._thread = threading.Thread(target=server.run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        deadline = time.monotonic() + PATIENCE
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                raise RuntimeError("the server did not start")
            time.sleep(0.01)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join(PATIENCE)


class RunningForeign(RunningUvicorn):
    """A plain ASGI program that replaces a third-party service. `url` is its address."""

    def __init__(self, program: Any) -> None:
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        config = uvicorn.Config(program, port=port, lifespan="off", log_config=None, timeout_graceful_shutdown=1)
        super().__init__(uvicorn.Server(config))
