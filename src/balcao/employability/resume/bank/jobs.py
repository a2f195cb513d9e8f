"""Background jobs of the resume bank."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.call import worker_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.employability.resume.bank import service

REFRESH = "employability.refresh_bank_names"


async def read_names(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Read the names of a person who accepted the terms."""
    await service.read_names(worker_call(platform, service.READ_NAMES), UUID(payload["acceptance"]))


async def refresh_names(platform: Platform, _: Mapping[str, Any]) -> None:
    """Enqueue reads of the names that are missing or stale."""
    await service.refresh_names(worker_call(platform, REFRESH))


KINDS = [
    JobKind(service.READ_NAMES, read_names, first_delay=timedelta(seconds=30), max_concurrent=4),
    JobKind(REFRESH, refresh_names, first_delay=timedelta(minutes=5), cron="10 7 * * *"),
]
