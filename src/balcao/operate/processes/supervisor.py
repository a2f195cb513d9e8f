"""The supervisor of `balcao serve`: start processes in order, replace those that die, and stop them in reverse order.

It imports no service and serves no request, so that it stays small and does not fail together with its processes.
"""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, AsyncExitStack
from typing import Protocol

import msgspec

from balcao import sandbox
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.operate.processes.channel import Order, Report
from balcao.operate.processes.plan import SURFACES, Plan, Ports, claim_data_folder, list_surface_urls, list_withheld
from balcao.operate.processes.process import Process, stopping
from balcao.settings import remembered

Progress = Callable[[str], None]
Welcome = Callable[[Plan, Report], None]


async def supervise_processes(plan: Plan, progress: Progress, welcome: Welcome) -> None:
    """Run the processes until Ctrl-C or SIGTERM. Raises OperatorFault or PostgresqlError if they cannot start."""
    supervisor = _Supervisor(plan, progress, welcome)
    with contextlib.suppress(asyncio.CancelledError):
        running = asyncio.current_task()
        assert running
        for stop in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(stop, supervisor.interrupt, running)
        await supervisor.supervise()


class EmbeddedDatabase(Protocol):
    """The PostgreSQL server of a trial. It is started first, replaced if it dies, and stopped last."""

    async def start(self) -> str:
        """Start the server, wait until it responds, and return its address."""

    def name_full_disk(self) -> AbstractContextManager[None]:
        """If something in the block cannot start because the disk is full, raise an error that says so."""

    async def keep_running(self) -> None:
        """Replace the server whenever it dies."""

    async def stop(self) -> None:
        """Shut the server down."""


class _Supervisor:
    def __init__(self, plan: Plan, progress: Progress, welcome: Welcome) -> None:
        self.plan = plan
        self.progress = progress
        self.welcome = welcome
        self.database: EmbeddedDatabase | None = None
        self.processes: list[Process] = []
        self.interruptions = 0

    def interrupt(self, running: "asyncio.Task[object]") -> None:
        """At the first signal, stop all processes in order. At the second signal, kill all except the database."""
        self.interruptions += 1
        if self.interruptions == 1:
            self.progress("Encerrando: chamadas e tarefas em andamento terminam antes. Ctrl-C de novo encerra à força.")
            running.cancel()
        else:
            self.progress("Encerrando à força; os dados gravados ficam.")
            for process in self.processes:
                process.kill()

    async def supervise(self) -> None:
        """Start all processes and replace them if they die. Stop them in reverse order when this task is cancelled."""
        async with AsyncExitStack() as stack:
            ports = stack.enter_context(self.plan.take_ports())
            self._claim_database(stack)
            backstage, front = self._assemble(ports)
            for group in (backstage, front):
                await stack.enter_async_context(stopping(group))
            with self.database.name_full_disk() if self.database else contextlib.nullcontext():
                await self._start(backstage, front)
            async with asyncio.TaskGroup() as tasks:
                for process in self.processes:
                    tasks.create_task(process.keep_running())
                if self.database:
                    tasks.create_task(self.database.keep_running())

    def _claim_database(self, stack: AsyncExitStack) -> None:
        """Claim the embedded database if the settings use it and no other `balcao serve` has claimed it.

        Raises OperatorFault if another `balcao serve` has claimed it and this one would serve all services.
        """
        settings = self.plan.settings
        if not settings.embedded_database or self.plan.front in SURFACES:
            return
        if stack.enter_context(claim_data_folder(settings.data_dir)):
            if self.plan.whole:
                remembered.remember_port(settings.data_dir, settings.port)
            self.database = sandbox.load(settings, "database")(settings.data_dir)
            stack.push_async_callback(self.database.stop)
        elif self.plan.whole:
            raise OperatorFault(
                f"Outro `balcao serve` já usa a pasta {settings.data_dir}. "
                "Encerre-o, ou indique outra pasta em BALCAO_DATA_DIR e outra porta em BALCAO_PORT."
            )

    def _assemble(self, ports: Ports) -> tuple[list[Process], list[Process]]:
        """Return two groups of processes: the sandbox CRM, which starts first and stops last, and all others."""
        settings = self.plan.settings
        environment = {
            "BALCAO_DATABASE_POOL": str(self.plan.connections_of_each),
            "BALCAO_PORT": str(settings.port),  # another `balcao serve` may have changed the stored port
        }

        def process(title: str, *roles: str, number: int = 0) -> Process:
            return Process(title, roles, ports.choose(roles, number), environment, list_withheld(roles, settings))

        if self.plan.together:
            front = [process("processo único", *self.plan.roles)]
            backstage = []
        else:
            backstage = [process("CRM de demonstração", "crm")] if "crm" in self.plan.roles else []
            beside = [role for role in self.plan.roles if role == "management"]  # the first process also has this role
            title = SURFACES.get(self.plan.front, "servidor das APIs")
            front = [
                process(f"{title} {n + 1}", *(beside if n == 0 else []), self.plan.front, number=n)
                for n in range(self.plan.processes)
            ]
            front += [process("worker", "worker")] if "worker" in self.plan.roles else []
        self.processes = [*backstage, *front]
        return backstage, front

    def _find_database(self) -> str:
        """Return the address of the running database, or an empty string for a site without Minha página.

        A process of the panel or the site uses the surface's own login if it has one.
        """
        settings = self.plan.settings
        if self.plan.front == "site" and not settings.has_site_login:
            return ""
        return list_surface_urls(settings).get(self.plan.front) or database.find_database(settings)

    async def _start(self, backstage: list[Process], front: list[Process]) -> None:
        """Start all processes. The first one migrates or checks the database before the others get their orders."""
        folder = self.plan.make_shared_folder()
        await asyncio.gather(*(process.spawn() for process in self.processes))
        url = await self.database.start() if self.database else self._find_database()
        await asyncio.gather(*(process.begin(Order(), self.progress) for process in backstage))
        orders = [
            Order(
                url,
                self.plan.services,
                folder=folder,
                number=number,
                count=self.plan.processes,
                watched=self.plan.watched,
            )
            for number, _ in enumerate(front)
        ]
        preparing = msgspec.structs.replace(orders[0], prepare=self.database is not None, describe=True)
        described = await front[0].begin(preparing, self.progress)
        others = zip(front[1:], orders[1:], strict=True)
        await asyncio.gather(*(process.begin(order, self.progress) for process, order in others))
        self.welcome(self.plan, described)
