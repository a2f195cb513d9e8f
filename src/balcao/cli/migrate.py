"""`balcao migrate`: bring the database of this configuration up to date."""

import asyncio

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from balcao import app
from balcao.cli import database
from balcao.core.database.migrations import Migration
from balcao.core.database.pool import Database
from balcao.settings import Settings

console = Console(stderr=True)


def migrate() -> None:
    """Aplica as migrações que faltam e carrega os dados de referência."""
    with database.open_database(Settings.load(), create=True) as url:
        ran = asyncio.run(_migrate(url))
    print(f"Banco em dia: {ran} migrações aplicadas agora.")


async def _migrate(url: str) -> int:
    await _require_access(url)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("Migrações", total=len(app.list_migrations()))

        def progress(migration: Migration) -> None:
            bar.update(task, advance=1, description=f"{migration.owner}/{migration.name}")

        return await app.bring_up_to_date(url, progress)


async def _require_access(url: str) -> None:
    """Raise Unavailable for a server that is away or refuses us, so that the operator gets a sentence."""
    database = Database(url, size=2, role=None)
    await database.open()
    await database.close()
