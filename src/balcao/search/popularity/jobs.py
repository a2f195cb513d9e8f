"""Background jobs that compute the popularity of services."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.search.popularity import service


async def rank(platform: Platform, _: Mapping[str, Any]) -> None:
    """Compute the popularity of all services."""
    await service.rank_services(platform)


JOBS = [JobKind("search.rank_services", rank, cron="20 5 * * *")]
