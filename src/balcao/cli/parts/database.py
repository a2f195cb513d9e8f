"""The embedded PostgreSQL's keeper: starts it, stops it when `balcao serve` ends, however that ends.

It lives in a session of its own, so that it survives a kill of the whole process group and still stops the server.
"""

import select
import signal
import sys

from balcao.cli.parts import orders
from balcao.cli.parts.orders import Report
from balcao.core.embedded import supervisor
from balcao.settings import Settings


def main() -> int:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGHUP})
    orders.hear()
    try:
        running = supervisor.start(Settings.load().data_dir, attach=False)
    except supervisor.EmbeddedError as refused:
        orders.report(Report(refused=str(refused)))
        return 1
    with running:
        orders.report(Report(database_url=running.server.url))
        return _until_the_parent_ends(running)


def _until_the_parent_ends(running: supervisor.Running) -> int:
    """A server that ends by itself is its keeper's end too: the parent then starts both anew."""
    while not select.select([sys.stdin], [], [], 1.0)[0]:
        if not running.alive:
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
