"""The faults that a single platform suffers while its clients work."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from balcao_sandbox.identity.demo import people_by_login
from tests.histories.recorder import ANSWER_SECONDS, Recorder
from tests.support.faulty_platform import FaultyPlatform
from tests.support.polling import PATIENCE

# A freeze lasts longer than clients wait, so the outcome of a frozen call is unknown and it may take effect later.
FROZEN_SECONDS = 1.5 * ANSWER_SECONDS


async def _kill(part: str, platform: FaultyPlatform) -> None:
    await asyncio.to_thread(platform.kill, part)


async def _freeze(part: str, platform: FaultyPlatform) -> None:
    frozen = await asyncio.to_thread(platform.freeze, part)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        platform.thaw(frozen)


async def _break_crm(fault: Mapping[str, Any], platform: FaultyPlatform) -> None:
    await asyncio.to_thread(platform.break_crm, fault)
    try:
        await asyncio.sleep(FROZEN_SECONDS)
    finally:
        await asyncio.to_thread(platform.break_crm, None)


# Faulty CRM responses: too late, records of other people, an HTML page, or a claim that a case exists twice.
# Ana has an account, so the duplicates concern only her requests: a push of her own changes needs no upsert.
CRM_FAULTS: Mapping[str, Mapping[str, Any]] = {
    "CRM too slow": {"mode": "latency", "ms": 60_000},
    "CRM misdirected": {"mode": "misdirected", "operation": "query"},
    "CRM maintenance page": {"mode": "garbage"},
    "CRM duplicates": {"mode": "duplicate", "operation": "upsert", "cpf": people_by_login()["ana"].cpf},
}
FAULTS: dict[str, Callable[[FaultyPlatform], Awaitable[None]]] = {
    "kill api": partial(_kill, "api"),
    "freeze api": partial(_freeze, "api"),
    "kill worker": partial(_kill, "worker"),
    "kill postgres": partial(_kill, "postgres"),
    "freeze postgres": partial(_freeze, "postgres"),
    "kill everything": partial(_kill, "everything"),
    **{name: partial(_break_crm, fault) for name, fault in CRM_FAULTS.items()},
}


async def break_in_turn(recorder: Recorder, platform: FaultyPlatform, faults: Sequence[str], answers: int) -> None:
    """Cause the faults one after the other. Wait for this many responses before each fault and after the last one."""
    await answered(recorder, answers)
    for fault in faults:
        await FAULTS[fault](platform)
        await answered(recorder, answers)


async def answered(recorder: Recorder, more: int) -> None:
    """Wait until the clients have received this many more responses."""
    wanted = recorder.answers + more
    async with asyncio.timeout(PATIENCE):
        while recorder.answers < wanted:  # noqa: ASYNC110 - clients change the number
            await asyncio.sleep(0.01)
