"""What the worker runs for the schema migrations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.search.schema_migrations import service


async def close_window(platform: Platform, payload: Mapping[str, Any]) -> None:
    """End the mirror of a run whose time for a rollback is over."""
    await service.close_window(platform, payload["run"])


async def drop_table(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Drop a table that nothing reads any more."""
    await service.drop_table(platform, payload["table"])


# Both wait for nothing but locks of a moment, so they are tried until they succeed.
JOBS = [
    JobKind(service.CLOSE_JOB, close_window, attempts=1000, first_delay=timedelta(seconds=10)),
    JobKind(service.DROP_JOB, drop_table, attempts=1000, first_delay=timedelta(seconds=10)),
]
