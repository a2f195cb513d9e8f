"""Leases: only one process at a time creates a person's CRM account, or files their anonymisation request.

Other processes wait briefly. A lease is no guarantee, because it may expire while its holder is still working.

Logins: the lease only saves calls, because the CRM's upsert prevents a second account.

Anonymisations: the lease prevents a second request unless the holder stalls until its lease expires.
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
POLL_SECONDS = 0.05
NEEDED_SECONDS = 3.5  # the part of the caller's time reserved for its own work

Purpose = Literal["login", "anonymisation"]
LeaseState = Literal["first", "after another", "without"]


@asynccontextmanager
async def hold_lease(platform: Platform, cpf: Cpf, purpose: Purpose, deadline: Deadline) -> AsyncIterator[LeaseState]:
    """Hold the lease within the block.

    Yield `first` if the lease was free, `after another` if this process had to wait for another holder, or `without` if
    another process still holds the lease. The caller waits at most until `NEEDED_SECONDS` before its deadline. Then the
    block runs without the lease.
    """
    holder = str(new_id())
    found: LeaseState = "first"
    while not await _acquire(platform, cpf, purpose, holder):
        if deadline.remaining <= NEEDED_SECONDS:
            found = "without"
            break
        found = "after another"
        await asyncio.sleep(POLL_SECONDS)
    try:
        yield found
    finally:
        await _release(platform, cpf, purpose, holder)


async def _acquire(platform: Platform, cpf: Cpf, purpose: Purpose, holder: str) -> bool:
    async with platform.database.connection() as connection:
        return await store.take_lease(connection, cpf, purpose, holder, LEASE_SECONDS)


async def _release(platform: Platform, cpf: Cpf, purpose: Purpose, holder: str) -> None:
    """Release the lease. If the database is down, the lease expires on its own."""
    with suppress(Unavailable):
        async with platform.database.connection() as connection:
            await store.release_lease(connection, cpf, purpose, holder)
