"""Runs uvicorn as an operator would for one core: one worker, uvloop, httptools, and no access log of its own."""

import gc
from collections.abc import Sequence
from typing import Any

import uvicorn

from balcao.core import logs
from balcao.settings import Settings


def make_server(application: Any, port: int, headers: Sequence[tuple[str, str]] = ()) -> uvicorn.Server:
    """Return a server for an ASGI application on a loopback port. It adds `headers` to each response."""
    return uvicorn.Server(
        uvicorn.Config(
            application,
            port=port,
            loop="uvloop",
            http="httptools",
            access_log=False,
            server_header=False,
            headers=list(headers),
            log_config=None,
            timeout_keep_alive=30,
        )
    )


def read_settings() -> Settings:
    """Read the settings from the environment, and configure the log."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    return settings


def serve(application: Any, port: int, headers: Sequence[tuple[str, str]] = ()) -> None:
    """Serve until the process receives a signal to stop."""
    # As in `balcao serve`, exclude all loaded objects from garbage collection.
    gc.collect()
    gc.freeze()
    make_server(application, port, headers).run()
