"""Background jobs that refresh the copied records.

They run after an application and every night, so that lists never wait for the registry.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.employability.selection.people import service

REFRESH_ALL = "employability.refresh_people"


async def _refresh_one(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.refresh_candidate(worker_call(platform, service.REFRESH_ONE), UUID(payload["candidate_of"]))


async def _refresh_all(platform: Platform, _: Mapping[str, Any]) -> None:
    await service.refresh_stale_people(worker_call(platform, REFRESH_ALL))


KINDS = [
    JobKind(service.REFRESH_ONE, _refresh_one),
    # Runs must not overlap, because their duration depends on the registry.
    JobKind(REFRESH_ALL, _refresh_all, first_delay=timedelta(minutes=5), max_concurrent=1, cron="25 5 * * *"),
]
