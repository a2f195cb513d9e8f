"""What a process does to the database before its roles start."""

from balcao import app
from balcao.cli import database, demo_data
from balcao.cli.processes import channel
from balcao.cli.processes.channel import Order, Report
from balcao.core.database.migrations import Migration
from balcao.settings import Settings


async def prepare(settings: Settings, order: Order) -> Report:
    """Migrate and load, or only check; return the report for when all roles work.

    Raises MigrationError on a database that is not up to date: only the sandbox's own one is migrated unasked.
    """
    url = order.database_url
    if order.prepare:
        await app.bring_up_to_date(url, _tell)
        if settings.sandbox:
            await demo_data.load_once(settings, url)
    else:
        await database.check(url)
    if not order.describe:
        return Report(ready=True)
    return Report(ready=True, base_urls=demo_data.base_urls(settings), offer=await demo_data.offer(settings, url))


def _tell(migration: Migration) -> None:
    channel.report(Report(progress=f"Migrando o banco: {migration.owner}/{migration.name}"))
