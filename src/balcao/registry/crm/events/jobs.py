"""The worker job that applies CRM events."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.events import service
from balcao.registry.crm.events.store import EVENT_JOB


async def apply_event(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Apply the event whose id is in the payload."""
    await service.apply_crm_event(platform, payload["event"])


# This job fails only while the database is down, so it has enough attempts to survive a long outage.
JOBS = [JobKind(EVENT_JOB, apply_event, attempts=1000, first_delay=timedelta(seconds=1))]
