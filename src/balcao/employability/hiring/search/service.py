"""Job lists: jobs within reach for staff, and published jobs for visitors (rules: employability 2.5, 2.6)."""

from uuid import UUID

import msgspec
from msgspec import UNSET

from balcao.core.context.call import Call
from balcao.core.values.clock import utc_now
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.store import find_published_job
from balcao.employability.hiring.search import store
from balcao.employability.hiring.search.schemas import JobFilters, Jobs, StaffJobs
from balcao.employability.lists import ListMeta
from balcao.employability.texts import parse_slug


async def list_jobs(call: Call, filters: JobFilters, page: Page) -> StaffJobs:
    """Return a page of the jobs within the caller's reach, newest first, and the number of jobs in each state."""
    scope = await find_scope(call)
    async with call.platform.database.connection() as connection:
        jobs, counts = await store.list_jobs_in_reach(connection, scope, filters, page, utc_now(), call.zone)
    by_status: dict[str, int] = msgspec.structs.asdict(counts)
    total = sum(by_status.values()) if filters.status is None else by_status[filters.status]
    return StaffJobs(jobs, ListMeta.of(page, total), counts)


async def list_published_jobs(call: Call, filters: JobFilters, page: Page) -> Jobs:
    """Return a page of the jobs that were published at least once, in the order of the filters.

    Deleted jobs are omitted.
    """
    now = utc_now()
    async with call.reader.connection() as connection:
        jobs, total = await store.list_published_jobs(connection, filters, page, now, call.zone)
        facets = await store.count_facets(connection, filters, now, call.zone) if filters.facets else UNSET
    return Jobs(jobs, ListMeta.of(page, total), facets)


async def read_published_job(call: Call, id_: UUID) -> Job:
    """Return a job as visitors see it. Raises NotFound if it was never published or is deleted."""
    return listings.require_job(await find_published_job(call.reader, id_, utc_now()))


async def read_job_by_slug(call: Call, slug: str) -> Job:
    """Return the published job whose id is at the end of the slug. The slug may contain an outdated title.

    Raises NotFound if there is no such job.
    """
    beginning = parse_slug(slug)
    if beginning is None:
        return listings.require_job(None)
    async with call.reader.connection() as connection:
        return listings.require_job(await store.read_job_by_slug(connection, beginning, slug, utc_now()))
