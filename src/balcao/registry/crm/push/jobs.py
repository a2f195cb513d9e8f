"""The worker job that pushes changes to the CRM."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.push import service
from balcao.registry.mirror.fields import PUSH_JOB


async def push(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Push the outbox row whose id is in the payload."""
    await service.push_outbox_row(platform, payload["outbox"])


# The service itself dead-letters a push after the number of attempts in the settings. The queue's limit applies only to
# failures that the service does not handle, such as a database that is down. `max_concurrent` keeps a slow CRM from
# using all workers.
JOBS = [JobKind(PUSH_JOB, push, attempts=1000, max_concurrent=10)]
