"""Background jobs that send e-mails to candidates."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.employability.hiring.listings.service import JOB_CLOSED
from balcao.employability.selection.emails import service
from balcao.employability.selection.emails.kinds import JOB, Email

# The retries last long enough for the mail server to be restarted, repaired or replaced.
DELAYS = [timedelta(minutes=minutes) for minutes in (1, 5, 30, 120, 720)]


async def send_email(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.send_email(platform, Email(payload["kind"]), UUID(payload["application"]), payload["event"])


async def notify_of_closed_job(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.notify_of_closed_job(platform, UUID(payload["vaga"]), payload["event"])


KINDS = [JobKind(JOB, send_email, delays=DELAYS), JobKind(JOB_CLOSED, notify_of_closed_job)]
