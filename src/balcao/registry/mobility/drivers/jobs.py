"""What the worker runs for the e-mails of invitations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.mobility.drivers import invitation_email


async def send_invitation(platform: Platform, payload: Mapping[str, Any]) -> None:
    await invitation_email.send(platform, payload["conductor"])


JOBS = [
    JobKind(invitation_email.JOB, send_invitation, attempts=invitation_email.TRIES, first_delay=timedelta(minutes=1))
]
