"""The worker's part of the webhooks."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.health_units.feed.service import WEBHOOK_JOB
from balcao.health_units.webhooks import service

# As the Standard Webhooks specification advises: soon at first, then for more than a day.
DELAYS = (
    timedelta(seconds=5),
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=5),
    timedelta(hours=10),
    timedelta(hours=14),
)


async def deliver(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Tell a webhook of a change; the payload has its id and the number of the change, or the id of a test."""
    await service.deliver(platform, UUID(payload["webhook"]), payload.get("sequencia"), payload.get("teste"))


# Receivers that hang occupy at most this many jobs and leave the workers free for the rest.
JOBS = [JobKind(WEBHOOK_JOB, deliver, delays=DELAYS, at_once=5)]
