"""The worker job that sends verification codes."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.person.phones import service, store


async def send_code(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.send_code(platform, payload["verification"])


# Retry quickly, because the citizen is waiting for the code, and only while the code is valid.
JOBS = [
    JobKind(
        store.CODE_JOB,
        send_code,
        attempts=8,
        first_delay=timedelta(seconds=2),
        longest_delay=timedelta(minutes=1),
    )
]
