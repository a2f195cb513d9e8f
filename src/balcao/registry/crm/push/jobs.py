"""What the worker runs for the push."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.push import service
from balcao.registry.mirror.fields import PUSH_JOB


async def push(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Push a row of the outbox; the payload has its id."""
    await service.push_outbox_row(platform, payload["outbox"])


# The use case itself dead-letters after its tries; the queue's own count is for a database that is away. A slow CRM
# occupies at most this many jobs and leaves the workers free for the rest.
JOBS = [JobKind(PUSH_JOB, push, attempts=1000, at_once=10)]
