"""What the worker runs for the schema migrations."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind, Wait
from balcao.search.schema_migrations import service
from balcao.search.schema_migrations.work import WORK_JOB, carry_on


async def continue_migration(platform: Platform, payload: Mapping[str, Any]) -> None:
    """Continue a run, or wait until the lease of the worker that has it would have expired."""
    held_for = await carry_on(platform, payload["run"])
    if held_for is not None:
        raise Wait("migration-held", held_for)


async def tidy_up(platform: Platform, _: Mapping[str, Any]) -> None:
    """End windows that are over and drop tables that nothing reads any more."""
    await service.tidy_up(platform)


# A wait for another worker's lease does not count as a try.
JOBS = [
    JobKind(WORK_JOB, continue_migration, attempts=1000, longest_delay=timedelta(seconds=30)),
    JobKind("search.tidy_up", tidy_up, first_delay=timedelta(seconds=10), cron="* * * * *"),
]
