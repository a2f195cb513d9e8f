"""The daily refresh of the departments' copy."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.employability.hiring.departments import service

NAME = "employability.refresh_departments"


async def refresh(platform: Platform, _: Mapping[str, Any]) -> None:
    """Refresh the departments whose copy is at least a day old."""
    await service.refresh_stale_departments(worker_call(platform, NAME))


KINDS = [JobKind(NAME, refresh, first_delay=timedelta(minutes=5), cron="40 6 * * *")]
