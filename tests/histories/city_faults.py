"""Faults in a city while its clients work: parts are killed and frozen, and wires are cut, held, slowed or lossy.

Other faults are wrong clocks, a full disk, a database failover, and restarts of the hosts.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import asyncpg

from tests.histories.city import CLOCKS, HOSTS, City
from tests.histories.nemesis import CRM_FAULTS, FROZEN_SECONDS
from tests.support.faulty_platform import break_crm
from tests.support.small_disks import Ballast

Break: TypeAlias = Callable[[City], Awaitable[None]]

KILLED = ("api", "one", "worker", "crm", "postgres", "replica", "redis", "outside")
FROZEN = ("api", "worker", "crm", "postgres", "replica", "redis", "outside")
# A fault affects all wires whose names start with one of these keys. The values name the connected parts.
WIRES: Mapping[str, str] = {
    "one-": "host-database",
    "replica-": "hosts-replica",
    "worker-": "worker-database",
    "crm": "CRM",
    "gateway": "gateway-host",
    "provider": "provider",
}
MODES = {"cut": "cut", "hold": "hold", "delay": "delay", "lose": "loss"}
# If a clock is two hours ahead, a new token has expired. If it is two hours behind, a new token is not valid yet.
STEPS = {"clock ahead": "+7200", "clock back": "-7200"}
FULL_SECONDS = 6.0
NO_ROOT = "only root mounts disks"
NO_CLOCK = "libfaketime is not on this machine (Debian: `faketime`)"


class Fault(NamedTuple):
    """A function that causes a fault, and the reason why this machine cannot cause it, or an empty string."""

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


async def _break_crm(fault: Mapping[str, Any], city: City) -> None:
    await asyncio.to_thread(break_crm, city.settings.crm_url, fault)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        await asyncio.to_thread(break_crm, city.settings.crm_url, None)


async def _step_clocks(step: str, city: City) -> None:
    """Change the clocks of one host and the worker for as long as a freeze lasts."""
    city.clock.write_text(step)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        city.clock.write_text("+0")


async def _fill_disk(city: City) -> None:
    """Fill the primary's disk until the primary stops for lack of space. Then free the disk and start the primary."""
    ballast, until = Ballast(city.primary.folder), time.monotonic() + FULL_SECONDS
    while time.monotonic() < until:
        await asyncio.to_thread(ballast.fill)
        await asyncio.to_thread(_ask_for_room, city)
        await asyncio.sleep(0.2)
    ballast.drop()
    await asyncio.to_thread(city.see_to_primary)


def _ask_for_room(city: City) -> None:
    """Switch to a new WAL segment.

    PostgreSQL recycles old segments, so on a full disk only a later switch fails.
    """
    with suppress(OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
        city.primary.sql("SELECT pg_logical_emit_message(false, 'full', ''), pg_switch_wal()", database="postgres")


async def _fail_over(city: City) -> None:
    await asyncio.to_thread(city.fail_over)


async def _restart_each(city: City) -> None:
    """Restart the hosts one after the other, in the way an operator does."""
    for host in HOSTS:
        await asyncio.to_thread(city.stop, host)
        await asyncio.to_thread(city.start, host)


def list_faults() -> dict[str, Fault]:
    """Return every fault by name."""
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
    for name, fault in CRM_FAULTS.items():
        yield name, Fault(partial(_break_crm, fault))
    for name, step in STEPS.items():
        yield name, Fault(partial(_step_clocks, step), "" if CLOCKS else NO_CLOCK)
    yield "full disk", Fault(_fill_disk, "" if os.geteuid() == 0 else NO_ROOT)
    yield "failover", Fault(_fail_over)
    yield "rolling restart", Fault(_restart_each)
