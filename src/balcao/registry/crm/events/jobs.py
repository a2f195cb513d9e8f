"""The worker jobs of the CRM's events."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.events import service
from balcao.registry.crm.events.store import EVENT_JOB


async def apply_event(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Apply an event. The payload contains the event's id."""
    await service.apply_crm_event(platform, payload["event"])


# This job fails only while the database is down, so it is retried for as long as an outage may last.
JOBS = [JobKind(EVENT_JOB, apply_event, attempts=1000, first_delay=timedelta(seconds=1))]
