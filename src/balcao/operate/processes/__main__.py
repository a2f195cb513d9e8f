"""A process that runs the roles in its arguments in one event loop, until the supervisor ends it.

In production, each process has one role, and the first process also serves the management port. In a trial, one process
has all roles, which saves the memory of further interpreters. The code of a role is the same in both cases.
"""

import asyncio
import gc
import importlib
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, suppress
from typing import TypeAlias

import uvloop

from balcao import sandbox
from balcao.core import logs
from balcao.core.logs import log
from balcao.operate import faults
from balcao.operate.processes import channel
from balcao.operate.processes.channel import Order, Report
from balcao.settings import Settings

# A context manager that runs a role during the block. The role's task ends earlier only if the role fails.
Role: TypeAlias = Callable[[Settings, Order], AbstractAsyncContextManager["asyncio.Task[None]"]]

# These roles only call the services, so they do not migrate or check the services' database.
SURFACES = frozenset({"panel", "site"})


def main(names: Sequence[str]) -> int:
    """Run the roles with these names. Import their code before the order arrives, while the database starts."""
    channel.ignore_interrupts()
    # Disable garbage collection. Imported objects are never freed, and checking them repeatedly would take a fifth of
    # the import time.
    gc.disable()
    with channel.beating_while_loading():
        settings = Settings.load()
        logs.configure(settings.log_level)
        roles = {name: _load_role(settings, name) for name in names}
        order = channel.receive_order()
    gc.freeze()
    gc.enable()
    channel.end_with_supervisor()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_run_roles(roles, settings, order))


def _load_role(settings: Settings, name: str) -> Role:
    if name == "crm":
        trial: Role = sandbox.load(settings, name)
        return trial
    role: Role = importlib.import_module(f"balcao.operate.processes.{name}").run
    return role


async def _run_roles(roles: Mapping[str, Role], settings: Settings, order: Order) -> int:
    """Run the roles until the supervisor stops the process. Return 1 if a role ends before that."""
    # The CRM starts first, because loading the demo data sends changes to it.
    early, late = [name for name in roles if name == "crm"], [name for name in roles if name != "crm"]
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    beating = asyncio.create_task(channel.send_beat())
    stopped = asyncio.create_task(stopping.wait())
    try:
        async with AsyncExitStack() as running:
            tasks = [await running.enter_async_context(roles[name](settings, order)) for name in early]
            described = Report(ready=True) if SURFACES & roles.keys() else await _prepare(settings, order)
            tasks += [await running.enter_async_context(roles[name](settings, order)) for name in late]
            # The objects created so far are permanent too. Collect the garbage, then exclude the rest from further
            # collections.
            gc.collect()
            gc.freeze()
            channel.send_report(described)
            await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
    except Exception as fault:
        return _report_fault(fault)
    finally:
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
    return 0 if stopped.done() else 1


async def _prepare(settings: Settings, order: Order) -> Report:
    """Migrate or check the database. Return the report to send as soon as the roles run."""
    if not order.database_url:
        return Report(ready=True)
    from balcao.operate.processes import preparation  # this imports every service; the sandbox CRM needs none

    return await preparation.prepare_database(settings, order)


def _report_fault(fault: Exception) -> int:
    """Send an exception to the supervisor as a sentence. For a defect of the program, log the traceback."""
    text = faults.explain_fault(fault)
    if text is None:
        log.error("process.failed", exc_info=fault)
    channel.send_report(Report(refused=text or faults.describe_fault(fault)))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
