"""The worker's part of the vocabulary: new words every few minutes, and all of them every night."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import JobKind
from balcao.search.vocabulary import service

EVERY = timedelta(minutes=5)
# Services that changed while a worker was away are taken up by the nightly count at the latest.
LOOK_BACK = 4 * EVERY


async def enter_new(platform: Platform, _: Mapping[str, Any]) -> None:
    """Enter the words of services that changed lately."""
    await service.refresh_vocabulary(platform, LOOK_BACK)


async def count_all(platform: Platform, _: Mapping[str, Any]) -> None:
    """Count the words of all services anew."""
    await service.refresh_vocabulary(platform)


JOBS = [
    JobKind("search.enter_words", enter_new, cron="*/5 * * * *"),
    JobKind("search.count_words", count_all, cron="50 4 * * *"),
]
