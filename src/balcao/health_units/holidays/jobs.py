"""The recurring job of the holidays."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.health_units.holidays import service


async def add_next_year(platform: Platform, _: Mapping[str, Any]) -> None:
    """Add the national holidays of the next year."""
    await service.add_next_year(platform)


# At 06:10 UTC it is 2 January in every time zone of the country.
JOBS = [JobKind("health_units.add_holidays", add_next_year, cron="10 6 2 1 *")]
