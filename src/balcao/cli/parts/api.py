"""The gateway and the services of one process, under the real server."""

import socket
import sys

from balcao import app
from balcao.cli.parts import orders
from balcao.cli.parts.orders import Report
from balcao.core import logs
from balcao.core.logs import log
from balcao.gateway import serving
from balcao.settings import Settings

NOT_STARTED = 3


def main() -> int:
    settings = Settings.load()
    logs.configure(settings.log_level)
    order = orders.hear()
    orders.end_with_parent()
    application = app.build(settings, order.database_url, order.services)
    try:
        serving.run(application, socket.socket(fileno=order.socket), lambda: orders.report(Report()))
    except serving.StartFailed as refused:
        log.error("server.not_started", reason=str(refused))
        return NOT_STARTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
