"""`balcao serve`, `panel`, `site` and `worker`: start processes that serve callers or run jobs."""

import asyncio
import os
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from typing import Annotated

import typer

from balcao.cli.console import make_console
from balcao.cli.welcome import welcome
from balcao.core import logs
from balcao.operate import database
from balcao.operate.doctor import start as start_check
from balcao.operate.names import SERVICES
from balcao.operate.processes import supervisor
from balcao.operate.processes.channel import Order, Report, Watched
from balcao.operate.processes.notification import notify_when_gateways_know
from balcao.operate.processes.plan import Plan, claiming_for_management, make_panel_plan, make_plan, make_site_plan
from balcao.settings import Settings, SettingsError

console = make_console(stderr=True)

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
    start_check.warn_of_settings(settings, os.environ)
    _supervise(make_plan(settings, tuple(services or ()), with_worker, processes))


def panel(processes: Processes = None) -> None:
    """Inicia só o painel, que chama os serviços pelo endereço deles."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    start_check.warn_of_settings(settings, os.environ)
    _supervise(make_panel_plan(settings, processes))


def site(processes: Processes = None) -> None:
    """Inicia só o site do cidadão, que chama os serviços pelo endereço deles."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    start_check.warn_of_settings(settings, os.environ)
    _supervise(make_site_plan(settings, processes))


def _supervise(plan: Plan) -> None:
    """Run the processes of the plan until Ctrl-C or SIGTERM."""
    with console.status("Iniciando o Balcão...") as status:
        show: Callable[[str], None] = status.update

        def ready(started: Plan, report: Report) -> None:
            nonlocal show
            status.stop()
            show = console.print  # the status line has been removed
            welcome(started, report)
            notify_when_gateways_know()

        asyncio.run(supervisor.supervise_processes(plan, lambda text: show(text), ready))
    console.print("Encerrado.")


def worker() -> None:
    """Executa só as tarefas em fila, sem responder a chamadas."""
    settings = Settings.load()
    logs.configure(settings.log_level)
    start_check.warn_of_settings(settings, os.environ)
    if refusals := settings.list_refusals(with_worker=True):
        raise SettingsError("\n".join(refusals))
    with ExitStack() as stack:
        sockets = {}
        if (port := settings.port_of_worker) is not None:
            claiming = claiming_for_management(settings.management_host, port, "BALCAO_WORKER_MANAGEMENT_PORT")
            (sock,) = stack.enter_context(claiming)
            sockets = {"management": sock.detach()}
        order = Order(database.find_database(settings), sockets=sockets, watched=Watched(("worker-0",), with_jobs=True))
        _run_worker(settings, order)


def _run_worker(settings: Settings, order: Order) -> None:
    """Run the worker in this process. A service manager starts and restarts the process."""
    import uvloop

    from balcao.operate.processes import management
    from balcao.operate.processes import worker as role

    async def run_until_stopped() -> None:
        await database.check_database(settings, order.database_url)
        stopping = asyncio.Event()
        for stop in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(stop, stopping.set)
        async with AsyncExitStack() as running:
            if order.sockets:
                await running.enter_async_context(management.run(settings, order))
            task = await running.enter_async_context(role.run(settings, order))
            console.print("Worker em execução. Ctrl-C encerra.")
            stopped = asyncio.create_task(stopping.wait())
            await asyncio.wait([stopped, task], return_when=asyncio.FIRST_COMPLETED)
            console.print("Encerrando: as tarefas em andamento terminam antes.")

    uvloop.run(run_until_stopped())
    console.print("Encerrado.")
