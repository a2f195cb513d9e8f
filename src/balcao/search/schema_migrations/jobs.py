"""Background jobs that run schema migrations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind, Wait
from balcao.search.schema_migrations import service
from balcao.search.schema_migrations.work import WORK_JOB, carry_on


async def continue_migration(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Continue a run. If another worker has the run, retry when that worker's lease would expire."""
    held_for = await carry_on(platform, payload["run"])
    if held_for is not None:
        raise Wait("migration-held", held_for)


async def tidy_up(platform: Platform, _: Mapping[str, Any]) -> None:
    """Close the mirror after its rollback window, and drop the tables that are due."""
    await service.tidy_up(platform)


# Waiting for the lease of another worker does not count as an attempt.
JOBS = [
    JobKind(WORK_JOB, continue_migration, attempts=1000, longest_delay=timedelta(seconds=30)),
    JobKind("search.tidy_up", tidy_up, first_delay=timedelta(seconds=10), cron="* * * * *"),
]
