"""The gateway and the services of one process, under the real server."""

import sys

import uvicorn

from balcao import app
from balcao.cli.parts import orders, serving
from balcao.core import logs
from balcao.gateway.asgi import Application
from balcao.settings import Settings

GRACE_SECONDS = 10


def main() -> int:
    settings = Settings.load()
    logs.configure(settings.log_level)
    order = orders.hear()
    return serving.run(server(app.build(settings, order.database_url, order.services)), order)


def server(application: Application) -> uvicorn.Server:
    """Takes no address from headers that any caller can send, and names neither itself nor its version."""
    config = uvicorn.Config(
        application,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return uvicorn.Server(config)


if __name__ == "__main__":
    sys.exit(main())
