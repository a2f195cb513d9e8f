"""Worker jobs for requests: send requests to the CRM, read its changed cases, and send e-mails about changes."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.requests.lifecycle import delivery, emails, polling
from balcao.registry.requests.lifecycle.store import SEND_JOB

POLL_JOB = "crm_requests"
# Retry long enough for the mail server to be restarted, repaired or replaced.
EMAIL_DELAYS = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 720)]


async def send_request(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Send the parts of a request that the CRM does not have yet. The payload contains the request's id."""
    await delivery.send_request(platform, payload["request"])


async def poll_cases(platform: Platform, _: Mapping[str, Any]) -> None:
    """Read the cases that have changed in the CRM."""
    await polling.poll_cases(platform)


async def send_email(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Send the e-mail about a step. The payload contains the request's id and the number of the step."""
    await emails.send_email(platform, payload["request"], payload["step"])


JOBS = [
    # The service itself dead-letters the job after the number of attempts in the settings, as for the push of own
    # changes.
    JobKind(SEND_JOB, send_request, attempts=1000, max_concurrent=10),
    # A few attempts are enough, because the next poll starts a minute later.
    JobKind(
        POLL_JOB,
        poll_cases,
        attempts=3,
        longest_delay=timedelta(seconds=20),
        max_concurrent=1,
        cron="* * * * *",
    ),
    JobKind(emails.EMAIL_JOB, send_email, delays=EMAIL_DELAYS),
]
