"""Faults in a city while its clients work: parts are killed and frozen, and wires are cut, held, slowed or lossy.

Other faults are wrong clocks, a full disk, a database failover, and restarts of the hosts.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from tests.histories.city import COMPILER, HOSTS, City
from tests.histories.databases import Pair, Trio
from tests.histories.nemesis import CRM_FAULTS, FROZEN_SECONDS
from tests.support.faulty_platform import break_crm

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
NO_ROOT = "only root mounts disks"
NO_COMPILER = "there is no C compiler on this machine to build the library that changes a clock"


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


async def _cause(fault: str, city: City) -> None:
    await asyncio.to_thread(city.databases.cause, fault)


async def _restart_each(city: City) -> None:
    """Restart the hosts one after the other, in the way an operator does."""
    for host in HOSTS:
        await asyncio.to_thread(city.stop, host)
        await asyncio.to_thread(city.start, host)


def list_faults() -> dict[str, Fault]:
    """Return every fault by name."""
    return dict(_list())


def list_cluster_faults() -> dict[str, Fault]:
    """Return the faults of three servers that Patroni operates.

    The faults of other parts do not depend on who operates the database.
    """
    return {name: Fault(partial(_cause, name)) for name in Trio.faults}


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
        yield name, Fault(partial(_step_clocks, step), "" if COMPILER else NO_COMPILER)
    for name in Pair.faults:
        needs_root = name == "full disk" and os.geteuid() != 0
        yield name, Fault(partial(_cause, name), NO_ROOT if needs_root else "")
    yield "rolling restart", Fault(_restart_each)
