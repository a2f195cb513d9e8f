"""One process: the roles that its arguments name, side by side on one event loop, until the supervisor ends it.

In production every process has one role. On a trial machine one process has all, which saves its interpreter's
memory; each role is the same code either way.
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

# The role works while the block lasts; its task ends before that only by a failure.
Role: TypeAlias = Callable[[Settings, Order], AbstractAsyncContextManager["asyncio.Task[None]"]]


def main(names: Sequence[str]) -> int:
    """Run the roles of these names. Their code is loaded before the order comes, which waits for the database."""
    channel.ignore_interrupts()
    # What is loaded stays for good: the collector would look at it again and again, which is a fifth of the loading.
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
    """Run the roles until the supervisor stops us; return 1 when a role ended by itself."""
    # The demo data are sent to the CRM while they are loaded.
    early, late = [name for name in roles if name == "crm"], [name for name in roles if name != "crm"]
    stopping = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopping.set)
    beating = asyncio.create_task(channel.send_beat())
    stopped = asyncio.create_task(stopping.wait())
    try:
        async with AsyncExitStack() as running:
            tasks = [await running.enter_async_context(roles[name](settings, order)) for name in early]
            described = Report(ready=True) if "panel" in roles else await _prepare(settings, order)
            tasks += [await running.enter_async_context(roles[name](settings, order)) for name in late]
            # So does what was made until now, but for the garbage of making it.
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
    """Bring the database up to date, or check it, and return what to report once the roles work."""
    if not order.database_url:
        return Report(ready=True)
    from balcao.operate.processes import preparation  # loads every service, which the sandbox CRM alone does not need

    return await preparation.prepare_database(settings, order)


def _report_fault(fault: Exception) -> int:
    """Report a fault in a sentence; where in the code one of ours happened stands in the log."""
    text = faults.explain_fault(fault)
    if text is None:
        log.error("process.failed", exc_info=fault)
    channel.send_report(Report(refused=text or faults.describe_fault(fault)))
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
