"""What a process does to the database before its roles start."""

from balcao import app
from balcao.cli import demo_data
from balcao.cli.processes import channel
from balcao.cli.processes.channel import Order, Report
from balcao.core.database.migrations import Migration
from balcao.core.database.roles import ApplicationRole
from balcao.operate import database
from balcao.settings import Settings


async def prepare(settings: Settings, order: Order) -> Report:
    """Migrate the database and load the demo data, or only check it; return the report for when all roles work.

    Raises MigrationError on a database that is not up to date: only the sandbox's own one is migrated automatically.
    """
    url = order.database_url
    if order.prepare:
        role = ApplicationRole(settings.database_role, settings.database_login)
        await app.bring_up_to_date(url, role, _report_progress)
        if settings.sandbox:
            await demo_data.load_once(settings, url, lambda text: channel.report(Report(progress=text)))
    else:
        await database.check(settings, url)
    if not order.describe:
        return Report(ready=True)
    return Report(ready=True, base_urls=app.list_base_urls(settings), offer=await demo_data.fetch_offer(settings, url))


def _report_progress(migration: Migration) -> None:
    channel.report(Report(progress=f"Migrando o banco: {migration.owner}/{migration.name}"))
