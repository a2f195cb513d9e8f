"""The worker's part of the popularity."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.search.popularity import service


async def rank(platform: Platform, _: Mapping[str, Any]) -> None:
    """Compute the popularity of every service anew."""
    await service.rank_services(platform)


JOBS = [JobKind("search.rank_services", rank, cron="20 5 * * *")]
