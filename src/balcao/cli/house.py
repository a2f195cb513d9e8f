"""The running house: the processes of one `balcao serve`, started in their order and stopped in the reverse one."""

import asyncio
import contextlib
import signal
from collections.abc import Callable
from contextlib import AsyncExitStack
from socket import socket

from balcao import app
from balcao.cli import database, demo_data
from balcao.cli.children import Child, stopping
from balcao.cli.faults import OperatorFault
from balcao.cli.plan import LOOPBACK, Plan, listening, prepared, sole_holder
from balcao.core.database.migrations import Migration

Progress = Callable[[Migration], None]
Welcome = Callable[[Plan, demo_data.Offer | None], None]


async def run(plan: Plan, progress: Progress, welcome: Welcome) -> None:
    """Until Ctrl-C or SIGTERM. Raises OperatorFault, EmbeddedError or MigrationError when it cannot start or go on."""
    house = _House(plan, progress, welcome)
    with contextlib.suppress(asyncio.CancelledError):
        running = asyncio.current_task()
        assert running
        for stop in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(stop, house.interrupted, running)
        await house.live()


class _House:
    def __init__(self, plan: Plan, progress: Progress, welcome: Welcome) -> None:
        self.plan = plan
        self.progress = progress
        self.welcome = welcome
        self.children: list[Child] = []
        self.stopping = False

    def interrupted(self, running: "asyncio.Task[object]") -> None:
        """The first signal stops in order; another one no longer waits for anybody but the database."""
        if not self.stopping:
            self.stopping = True
            running.cancel()
            return
        for child in self.children[1:]:
            child.kill()

    async def live(self) -> None:
        settings = self.plan.settings
        if settings.sandbox:
            prepared(settings.data_dir)
        async with AsyncExitStack() as held:
            port = held.enter_context(listening(settings.host, settings.port, "APIs"))
            crm_port = None
            if self.plan.crm:
                crm_port = held.enter_context(listening(LOOPBACK, settings.crm_port, "CRM de demonstração"))
            keeper = self._keeper(held)
            crm = [self._child("crm", "CRM de demonstração", crm_port)] if crm_port else []
            front = [self._child("api", "servidor das APIs", port)]
            front += [self._child("worker", "worker")] if self.plan.worker else []
            await self._start(held, keeper, crm, front)

    def _child(self, module: str, title: str, listening: socket | None = None, *, apart: bool = False) -> Child:
        child = Child(module, title, listening=listening, apart=apart)
        self.children.append(child)
        return child

    def _keeper(self, held: AsyncExitStack) -> list[Child]:
        """Of the embedded database; none when another `balcao serve` keeps it, or when it is not embedded."""
        settings = self.plan.settings
        if not settings.embedded_database:
            return []
        if held.enter_context(sole_holder(settings.data_dir)):
            return [self._child("database", "PostgreSQL embutido", apart=True)]
        if self.plan.whole:
            raise OperatorFault(
                f"Outro `balcao serve` já usa a pasta {settings.data_dir}. "
                "Encerre-o, ou indique outra pasta em BALCAO_DATA_DIR e outra porta em BALCAO_PORT."
            )
        return []

    async def _start(self, held: AsyncExitStack, keeper: list[Child], crm: list[Child], front: list[Child]) -> None:
        for stage in (keeper, crm, front):
            await held.enter_async_context(stopping(*stage))
        await asyncio.gather(*(child.spawn() for child in self.children))
        url = (await keeper[0].begin()).database_url if keeper else database.external_or_running(self.plan.settings)
        await asyncio.gather(self._prepare(url, bool(keeper)), *(child.begin() for child in crm))
        await asyncio.gather(*(child.begin(url, self.plan.services) for child in front))
        self.welcome(self.plan, await demo_data.offer(self.plan.settings, url))
        async with asyncio.TaskGroup() as keeping:
            for child in self.children:
                keeping.create_task(child.keep())

    async def _prepare(self, url: str, ours: bool) -> None:
        """Only the sandbox's own database is migrated unasked; any other is checked."""
        if not ours:
            await database.check(url)
            return
        await app.bring_up_to_date(url, self.progress)
        if self.plan.settings.sandbox:
            await demo_data.load_once(self.plan.settings, url)
