"""What the worker runs for the e-mails of invitations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.mobility.invitations import service


async def send_invitation(platform: Platform, payload: Mapping[str, Any]) -> None:
    await service.send(platform, payload["conductor"])


JOBS = [JobKind(service.JOB, send_invitation, attempts=service.TRIES, first_delay=timedelta(minutes=1))]
