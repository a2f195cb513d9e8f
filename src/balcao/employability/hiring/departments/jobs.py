"""The daily background job that refreshes the copied departments."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.employability.hiring.departments import service

NAME = "employability.refresh_departments"


async def refresh(platform: Platform, _: Mapping[str, Any]) -> None:
    """Refresh the copies that are at least a day old or were never read."""
    await service.refresh_stale_departments(worker_call(platform, NAME))


KINDS = [JobKind(NAME, refresh, first_delay=timedelta(minutes=5), cron="40 6 * * *")]
