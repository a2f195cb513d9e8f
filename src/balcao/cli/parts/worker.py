"""The worker: runs the queued jobs of every service."""

import asyncio
import signal
import sys
from collections.abc import Callable

import uvloop

from balcao import app
from balcao.cli.parts import orders
from balcao.cli.parts.orders import Report
from balcao.core import logs
from balcao.core.context.platform import assemble
from balcao.core.jobs.worker import Worker
from balcao.settings import Settings


def main() -> int:
    settings = Settings.load()
    logs.configure(settings.log_level)
    order = orders.hear()
    orders.end_with_parent()
    uvloop.run(work(settings, order.database_url, lambda: orders.report(Report())))
    return 0


async def work(settings: Settings, database_url: str, ready: Callable[[], None]) -> None:
    """Until SIGTERM or SIGINT; jobs that run are finished first."""
    platform = assemble(settings, database_url)
    async with app.opened(platform):
        worker = Worker(platform.database, app.all_jobs(), platform)
        for stop in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(stop, worker.stop)
        ready()
        await worker.run()


if __name__ == "__main__":
    sys.exit(main())
