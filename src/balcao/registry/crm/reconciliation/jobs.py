"""What the worker runs for the reconciliation."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.registry.crm.reconciliation import service
from balcao.registry.crm.reconciliation.store import RECONCILE_JOB


async def reconcile_page(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Reconcile one page of a run; the payload has its id and the number of the page."""
    await service.reconcile_page(platform, payload["run"], payload["page"])


# A CRM that is away for a night is waited for.
JOBS = [JobKind(RECONCILE_JOB, reconcile_page, attempts=100, at_once=1)]
