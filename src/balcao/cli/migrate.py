"""`balcao migrate`: bring the database of this configuration up to date."""

import asyncio

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from balcao import app
from balcao.cli.console import make_console
from balcao.core.database.migrations import Migration
from balcao.core.database.roles import ApplicationRole
from balcao.operate import database
from balcao.settings import Settings

console = make_console(stderr=True)


def migrate() -> None:
    """Aplica as migrações que faltam e carrega os dados de referência."""
    settings = Settings.load()
    with database.open_database(settings, create=True) as url:
        ran = asyncio.run(_migrate(settings, url))
    print(f"Banco em dia: {ran} migrações aplicadas agora.")


async def _migrate(settings: Settings, url: str) -> int:
    owner_url = await database.require_owner(settings, url)
    await database.refuse_demo_data(settings, owner_url)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Migrações", total=len(app.list_migrations()))

        def progress(migration: Migration) -> None:
            bar.update(task, advance=1, description=f"{migration.owner}/{migration.name}")

        role = ApplicationRole(settings.database_role, settings.database_login)
        return await app.bring_up_to_date(owner_url, role, progress)
