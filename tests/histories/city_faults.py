"""The faults of a city while its clients work: each part is killed and frozen, each wire cut, held, slowed and lossy.

Further faults are wrong clocks, a full disk, a failover of the database server, and restarts of the hosts.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeAlias

import asyncpg

from tests.histories.city import CLOCKS, HOSTS, City
from tests.histories.nemesis import FROZEN_SECONDS
from tests.support.small_disks import Ballast

Break: TypeAlias = Callable[[City], Awaitable[None]]

KILLED = ("api", "one", "worker", "crm", "postgres", "replica", "redis", "outside")
FROZEN = ("api", "worker", "crm", "postgres", "replica", "redis", "outside")
# The wires that are cut together: the start of their names, and the parts that they connect.
WIRES: Mapping[str, str] = {
    "one-": "host-database",
    "replica-": "hosts-replica",
    "worker-": "worker-database",
    "crm": "CRM",
    "gateway": "gateway-host",
    "provider": "provider",
}
MODES = {"cut": "cut", "hold": "hold", "delay": "delay", "lose": "loss"}
# A token is expired for a clock two hours ahead, and not valid yet for one that is behind.
STEPS = {"clock ahead": "+7200", "clock back": "-7200"}
FULL_SECONDS = 6.0
NO_ROOT = "only root mounts disks"
NO_CLOCK = "libfaketime is not on this machine (Debian: `faketime`)"


class Fault(NamedTuple):
    """What to do, and the reason why this machine cannot do it, if there is one."""

    bring_about: Break
    hindrance: str = ""


async def _kill(part: str, city: City) -> None:
    await asyncio.to_thread(city.kill, part)


async def _freeze(part: str, city: City) -> None:
    frozen = await asyncio.to_thread(city.freeze, part)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        city.thaw(frozen)


async def _disturb(wire: str, mode: str, city: City) -> None:
    await asyncio.to_thread(city.network.set, wire, mode)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        await asyncio.to_thread(city.network.set, wire, "pass")


async def _step_clocks(step: str, city: City) -> None:
    """Change the clocks of one host and of the worker, for the duration of a freeze."""
    city.clock.write_text(step)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        city.clock.write_text("+0")


async def _fill_disk(city: City) -> None:
    """Fill the disk of the primary and make it need space. It stops by itself, and is then started again."""
    ballast, until = Ballast(city.primary.folder), time.monotonic() + FULL_SECONDS
    while time.monotonic() < until:
        await asyncio.to_thread(ballast.fill)
        await asyncio.to_thread(_ask_for_room, city)
        await asyncio.sleep(0.2)
    ballast.drop()
    await asyncio.to_thread(city.see_to_primary)


def _ask_for_room(city: City) -> None:
    """Start a new file of the write-ahead log. Some files are preallocated, so several are needed until one fails."""
    with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        city.primary.sql("SELECT pg_logical_emit_message(false, 'full', ''), pg_switch_wal()", database="postgres")


async def _fail_over(city: City) -> None:
    await asyncio.to_thread(city.fail_over)


async def _restart_each(city: City) -> None:
    """Stop and start one host after the other, as an operator does."""
    for host in HOSTS:
        await asyncio.to_thread(city.stop, host)
        await asyncio.to_thread(city.start, host)


def list_faults() -> dict[str, Fault]:
    """Return every fault by its name."""
    return dict(_list())


def _list() -> Iterator[tuple[str, Fault]]:
    names = {"one": "host", "outside": "provider and CRM"}
    for part in KILLED:
        yield f"kill {names.get(part, part)}", Fault(partial(_kill, part))
    for part in FROZEN:
        yield f"freeze {names.get(part, part)}", Fault(partial(_freeze, part))
    for wire, between in WIRES.items():
        for mode, word in MODES.items():
            yield f"{word} {between}", Fault(partial(_disturb, wire, mode))
    for name, step in STEPS.items():
        yield name, Fault(partial(_step_clocks, step), "" if CLOCKS else NO_CLOCK)
    yield "full disk", Fault(_fill_disk, "" if os.geteuid() == 0 else NO_ROOT)
    yield "failover", Fault(_fail_over)
    yield "rolling restart", Fault(_restart_each)
