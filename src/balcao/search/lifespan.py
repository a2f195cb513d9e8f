"""Background work of the search in each process."""

import functools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.platform import Platform
from balcao.search.control_queries.service import LastEvaluation
from balcao.search.index.public_index import keep_index
from balcao.search.legacy_mappings import service as legacy_mappings
from balcao.search.popularity import service as popularity
from balcao.search.popularity.service import ViewTally
from balcao.search.public_search.service import keep_search_state
from balcao.search.tallies import flushing
from balcao.search.zero_results import service as zero_results
from balcao.search.zero_results.service import QueryTallies


@asynccontextmanager
async def run_search(platform: Platform) -> AsyncIterator[None]:
    """Store the configured old systems.

    During the block, keep the index and the caches current and write the counts.
    """
    await legacy_mappings.enter_sources(platform)
    platform.parts[ViewTally] = ViewTally()
    platform.parts[QueryTallies] = QueryTallies()
    platform.parts[LastEvaluation] = LastEvaluation()
    async with (
        keep_search_state(platform),
        keep_index(platform),
        flushing(functools.partial(popularity.flush_views, platform)),
        flushing(functools.partial(zero_results.flush_zero_results, platform)),
    ):
        yield
