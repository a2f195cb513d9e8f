"""The worker's part of the webhooks."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.core.webhooks import AT_ONCE, DELAYS
from balcao.health_units.feed.service import WEBHOOK_JOB
from balcao.health_units.webhooks import service


async def deliver(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Tell a webhook of a change; the payload has its id and the number of the change, or the id of a test."""
    await service.deliver(platform, UUID(payload["webhook"]), payload.get("sequencia"), payload.get("teste"))


JOBS = [JobKind(WEBHOOK_JOB, deliver, delays=DELAYS, at_once=AT_ONCE)]
