"""What the worker runs for the phone verification."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.jobs import JobKind
from balcao.core.platform import Platform
from balcao.registry.phones import service


async def send_code(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.send(platform, payload["verification"])


# Somebody waits with the phone in their hand: quick tries, all within the life of a code.
JOBS = [
    JobKind(
        service.CODE_JOB,
        send_code,
        attempts=8,
        first_delay=timedelta(seconds=2),
        longest_delay=timedelta(minutes=1),
    )
]
