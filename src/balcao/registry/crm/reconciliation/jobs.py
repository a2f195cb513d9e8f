"""The worker job of the reconciliation."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.reconciliation import service
from balcao.registry.crm.reconciliation.store import RECONCILE_JOB


async def reconcile_page(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Reconcile one page of a run. The payload contains the run's id and the page number."""
    await service.reconcile_page(platform, payload["run"], payload["page"])


# The job has enough attempts to survive a CRM outage that lasts a whole night.
JOBS = [JobKind(RECONCILE_JOB, reconcile_page, attempts=100, max_concurrent=1)]
