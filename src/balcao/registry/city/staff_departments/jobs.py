"""The worker job that hashes the CPFs of staff, so that actors in the audit trail can be mapped to departments."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.audit import HashKey
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.core.values.cpf import Cpf
from balcao.registry.city.staff_departments import store

# The number of CPFs hashed in one round. A round takes about two milliseconds, so it does not block the event loop for
# long.
BATCH = 500


async def hash_staff(platform: Platform, _: Mapping[str, Any]) -> None:
    """Insert missing staff hashes for each key of the audit trail, and delete the hashes of former staff."""
    async with platform.database.connection() as connection:
        await store.delete_former_staff_hashes(connection)
        for key in platform.audit.keys:
            while await _hash_batch(platform, key) == BATCH:
                pass


async def _hash_batch(platform: Platform, key: HashKey) -> int:
    async with platform.database.connection() as connection:
        cpfs = await store.list_staff_without_hash(connection, key.number, BATCH)
        hashes = [hashed for cpf in cpfs if (hashed := key.hash_cpf(Cpf(cpf))) is not None]
        await store.insert_staff_hashes(connection, key.number, hashes, cpfs)
    return len(cpfs)


JOBS = [JobKind("registry.hash_staff", hash_staff, first_delay=timedelta(seconds=10), cron="* * * * *")]
