"""What the worker runs for the phone verification."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.person.phones import service, store


async def send_code(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.send_code(platform, payload["verification"])


# Somebody waits with the phone in their hand: quick tries, all within the life of a code.
JOBS = [
    JobKind(
        store.CODE_JOB,
        send_code,
        attempts=8,
        first_delay=timedelta(seconds=2),
        longest_delay=timedelta(minutes=1),
    )
]
