"""Leases: one process at a time works in the CRM for a person, the others wait for it a little.

They save calls and second accounts; correctness never depends on them, as a lease may end while its holder works.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.crm.deadline import Deadline
from balcao.registry.crm.lease import store

LEASE_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.05
NEEDED_SECONDS = 3.5  # of the caller's time, left for the work itself

Purpose = Literal["login", "anonymisation"]
Turn = Literal["first", "after another", "without"]


@asynccontextmanager
async def take_turn(platform: Platform, cpf: Cpf, purpose: Purpose, deadline: Deadline) -> AsyncIterator[Turn]:
    """Hold the lease within the block; yield whether another process had it first, or still has it.

    Nobody waits longer than their own deadline allows.
    """
    holder = str(new_id())
    found: Turn = "first"
    while not await _take(platform, cpf, purpose, holder):
        if deadline.remaining <= NEEDED_SECONDS:
            found = "without"
            break
        found = "after another"
        await asyncio.sleep(LOOK_AGAIN_SECONDS)
    try:
        yield found
    finally:
        await _release(platform, cpf, purpose, holder)


async def _take(platform: Platform, cpf: Cpf, purpose: Purpose, holder: str) -> bool:
    async with platform.database.connection() as connection:
        return await store.take_lease(connection, cpf, purpose, holder, LEASE_SECONDS)


async def _release(platform: Platform, cpf: Cpf, purpose: Purpose, holder: str) -> None:
    """Give the lease back; one that cannot be given back ends by itself."""
    with suppress(Unavailable):
        async with platform.database.connection() as connection:
            await store.release_lease(connection, cpf, purpose, holder)
