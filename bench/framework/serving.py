"""uvicorn as an operator would set it for one core: one worker, uvloop, httptools, and no access log of its own."""

import gc
from collections.abc import Sequence
from typing import Any

import uvicorn

from balcao.core import logs
from balcao.settings import Settings


def make_server(application: Any, port: int, headers: Sequence[tuple[str, str]] = ()) -> uvicorn.Server:
    """Return the server of an ASGI application on a loopback port; each response also gets these `headers`."""
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
    """Read the settings of the environment, and configure the log by them."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    return settings


def serve(application: Any, port: int, headers: Sequence[tuple[str, str]] = ()) -> None:
    """Serve until the process is told to stop."""
    # As `balcao serve` does: the collector does not look again at what was loaded.
    gc.collect()
    gc.freeze()
    make_server(application, port, headers).run()
