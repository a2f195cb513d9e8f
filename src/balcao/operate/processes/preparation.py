"""Prepare the database before the roles of a process start."""

import msgspec

from balcao import app, sandbox
from balcao.core.database.migrations import Migration
from balcao.operate import database
from balcao.operate.processes import channel
from balcao.operate.processes.channel import Order, Report
from balcao.settings import Settings


async def prepare_database(settings: Settings, order: Order) -> Report:
    """Prepare or check the database. Return the report to send when all roles are running.

    With `prepare`, migrate the database and, in the sandbox, load the demo data. The supervisor sets `prepare` only for
    the embedded database. Without `prepare`, only check the database.

    Raises MigrationError if the database is not up to date, Unavailable if it cannot be reached, or SettingsError if it
    has demo data in production.
    """
    url = order.database_url
    if order.prepare:
        role = database.make_role(settings)
        await app.bring_up_to_date(url, role, _report_progress)
        if settings.sandbox:
            await sandbox.load(settings, "demo").load_once(
                settings, url, lambda text: channel.send_report(Report(progress=text))
            )
    else:
        await database.check_database(settings, url)
    if not order.describe:
        return Report(ready=True)
    offer = await sandbox.load(settings, "demo").fetch_offer(settings, url) if settings.sandbox else None
    return Report(ready=True, base_urls=app.list_base_urls(settings), offer=msgspec.to_builtins(offer))


def _report_progress(migration: Migration) -> None:
    channel.send_report(Report(progress=f"Migrando o banco: {migration.owner}/{migration.name}"))
