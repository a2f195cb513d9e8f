"""The worker jobs of requests: send one to the CRM, and read what changed there."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.requests.lifecycle import delivery, polling
from balcao.registry.requests.lifecycle.service import SEND_JOB

POLL_JOB = "crm_requests"


async def send_request(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Send the parts of a request that the CRM does not have. The payload names the request."""
    await delivery.send_request(platform, payload["request"])


async def poll_cases(platform: Platform, _: Mapping[str, Any]) -> None:
    """Read what changed in the CRM's cases."""
    await polling.poll_cases(platform)


JOBS = [
    # As for the push of own changes: the service dead-letters a job after its own number of attempts.
    JobKind(SEND_JOB, send_request, attempts=1000, max_concurrent=10),
    # A failed poll is not worth many attempts, because the next minute brings the next poll.
    JobKind(
        POLL_JOB,
        poll_cases,
        attempts=3,
        longest_delay=timedelta(seconds=20),
        max_concurrent=1,
        cron="* * * * *",
    ),
]
