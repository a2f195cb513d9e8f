"""The worker's part of the holidays."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.health_units.holidays import service


async def add_next_year(platform: Platform, _: Mapping[str, Any]) -> None:
    """Enter the national holidays of the next year."""
    await service.add_next_year(platform)


# On 2 January, by any clock of the country.
JOBS = [JobKind("health_units.add_holidays", add_next_year, cron="10 6 2 1 *")]
