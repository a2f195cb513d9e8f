"""The worker's part of the webhooks."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from balcao.agents.webhooks import service
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.core.webhooks import AT_ONCE, DELAYS


async def deliver(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Tell a webhook of an activation; the payload has its id and that of the activation, or the id of a test."""
    await service.deliver(platform, UUID(payload["webhook"]), payload.get("activation"), payload.get("test"))


JOBS = [JobKind(service.JOB, deliver, delays=DELAYS, at_once=AT_ONCE)]
