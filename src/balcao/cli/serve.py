"""`balcao serve` and `balcao worker`: start the processes that serve the APIs and that run jobs."""

import asyncio
import signal
from collections.abc import Callable
from typing import Annotated

import typer
from rich.console import Console

from balcao.cli import embedded, supervisor
from balcao.cli.plan import SERVICES, Plan, make_plan
from balcao.cli.processes.channel import Order, Report
from balcao.cli.welcome import welcome
from balcao.core import logs
from balcao.settings import Settings, SettingsError

console = Console(stderr=True)

Services = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="SERVIÇO...", help=f"Só estes serviços: {', '.join(SERVICES)}. Sem nomes, todos.", show_default=False
    ),
]
WithWorker = Annotated[
    bool | None,
    typer.Option(
        "--with-worker/--no-worker", help="Com ou sem o worker; sem nomes de serviços, com.", show_default=False
    ),
]
Processes = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=256,
        metavar="N",
        help="Quantos processos respondem na mesma porta; sem ele, um por núcleo, e um só na base de demonstração.",
        show_default=False,
    ),
]


def serve(services: Services = None, with_worker: WithWorker = None, processes: Processes = None) -> None:
    """Inicia os serviços e, na base de demonstração, também o banco, a identidade e o CRM."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    plan = make_plan(settings, tuple(services or ()), with_worker, processes)
    with console.status("Iniciando o Balcão...") as status:
        show: Callable[[str], None] = status.update

        def ready(started: Plan, report: Report) -> None:
            nonlocal show
            status.stop()
            show = console.print  # there is no line any more that moves
            welcome(started, report)

        asyncio.run(supervisor.run(plan, lambda text: show(text), ready))
    console.print("Encerrado.")


def worker() -> None:
    """Executa só as tarefas em fila, sem responder a chamadas."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    if refusals := settings.list_refusals(with_worker=True):
        raise SettingsError("\n".join(refusals))
    _run_worker(settings, embedded.find_database(settings))


def _run_worker(settings: Settings, url: str) -> None:
    """Run the worker in this process: a service manager starts and replaces it."""
    import uvloop

    from balcao.cli import database
    from balcao.cli.processes import worker as role

    async def run_until_stopped() -> None:
        await database.check(settings, url)
        stopping = asyncio.Event()
        for stop in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
        async with role.run(settings, Order(url)) as task:
            console.print("Worker em execução. Ctrl-C encerra.")
            stopped = asyncio.create_task(stopping.wait())
            await asyncio.wait([stopped, task], return_when=asyncio.FIRST_COMPLETED)

    uvloop.run(run_until_stopped())
