"""The background job that reads the sources every minute."""

from collections.abc import Mapping
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.health_units.intake import service


async def read_sources(platform: Platform, _: Mapping[str, Any]) -> None:
    """Read each source once."""
    await service.read_sources(platform)


JOBS = [JobKind("health_units.read_sources", read_sources, max_concurrent=1, cron="* * * * *")]
