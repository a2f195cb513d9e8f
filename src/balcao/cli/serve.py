"""`balcao serve` and `balcao worker`: the processes that answer and that work."""

import asyncio
from typing import Annotated

import typer
import uvloop
from rich.console import Console

from balcao import app
from balcao.cli import database, house
from balcao.cli.demo_data import Offer
from balcao.cli.parts.worker import work
from balcao.cli.plan import Plan, plan
from balcao.cli.welcome import welcome
from balcao.core import logs
from balcao.core.database.migrations import Migration
from balcao.settings import Settings, SettingsError

console = Console(stderr=True)

Services = Annotated[
    list[str] | None,
    typer.Argument(help=f"Só estes serviços: {', '.join(app.NAMES)}. Sem nomes, todos.", show_default=False),
]
WithWorker = Annotated[
    bool | None,
    typer.Option(
        "--with-worker/--no-worker", help="Com ou sem o worker; sem nomes de serviços, com.", show_default=False
    ),
]


def serve(services: Services = None, with_worker: WithWorker = None) -> None:
    """Inicia os serviços e, na base de demonstração, também o banco, a identidade e o CRM."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    chosen = plan(settings, tuple(services or ()), with_worker)
    with console.status("Iniciando o Balcão...") as status:

        def progress(migration: Migration) -> None:
            status.update(f"Migrando o banco: {migration.owner}/{migration.name}")

        def ready(started: Plan, offer: Offer | None) -> None:
            status.stop()
            welcome(started, offer)

        asyncio.run(house.run(chosen, progress, ready))


def worker() -> None:
    """Executa só as tarefas em fila, sem responder a chamadas."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    if refusals := settings.refusals():
        raise SettingsError("\n".join(refusals))
    url = database.external_or_running(settings)
    asyncio.run(database.check(url))
    uvloop.run(work(settings, url, lambda: console.print("Worker em execução. Ctrl-C encerra.")))
