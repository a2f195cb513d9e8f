"""The yearly job that adds national holidays."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.health_units.holidays import service


async def add_next_year(platform: Platform, _: Mapping[str, Any]) -> None:
    """Add the national holidays of this year and the next, if they are missing."""
    await service.add_next_year(platform)


# At 06:10 UTC, it is already 2 January in every Brazilian time zone.
JOBS = [JobKind("health_units.add_holidays", add_next_year, cron="10 6 2 1 *")]
