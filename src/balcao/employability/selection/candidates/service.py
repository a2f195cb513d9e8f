"""The staff's list of applications.

Long pages are streamed, so that they need little memory (rules: employability 2.7, 5.6).
"""

from collections.abc import AsyncGenerator, Sequence
from uuid import UUID

import msgspec

from balcao.core.context.call import Call
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.lists import ListMeta
from balcao.employability.selection.applications import service as applications
from balcao.employability.selection.applications.schemas import StatusCounts
from balcao.employability.selection.applications.service import show_application
from balcao.employability.selection.applications.store import list_live_applications
from balcao.employability.selection.candidates import store
from balcao.employability.selection.candidates.filters import CandidateFilters
from balcao.employability.selection.candidates.schemas import Candidate, CandidateCounts, Candidates, StepCounts
from balcao.employability.selection.people.info import describe_listed

# Pages up to this length are returned as a whole. Longer pages are read and sent in parts of this length.
CHUNK = 100


async def list_candidates(
    call: Call, filters: CandidateFilters, page: Page
) -> Candidates | AsyncGenerator[bytes, None]:
    """Return a page of the applications for jobs within the caller's reach.

    A long page is returned as an iterator over parts of its JSON.

    The audit trail records the reads before the data is sent. Errors before the first part are raised by this function,
    not by the iterator.
    """
    scope = await find_scope(call)
    departments = None if scope.departments is None else sorted(scope.departments)
    async with call.platform.database.connection() as connection:
        ids, counts = await store.find_candidate_page(connection, departments, filters, page)
    by_status: dict[str, int] = msgspec.structs.asdict(counts)
    total = sum(by_status.values()) if filters.status is None else by_status[filters.status]
    jobs: dict[UUID, JobSummary] = {}
    first = await _read(call, ids[:CHUNK], jobs)
    whole = Candidates(first, ListMeta.of(page, total), counts)
    return whole if len(ids) <= CHUNK else _encode_in_parts(call, whole, ids[CHUNK:], jobs)


async def count_candidates(call: Call, job_id: UUID) -> CandidateCounts:
    """Return the number of a job's candidates by step and status. The job may be deleted.

    This reads no personal data, so nothing is recorded. Raises NotFound if the job is unknown or out of the caller's
    reach.
    """
    scope = await find_scope(call)
    async with call.platform.database.connection() as connection:
        job, department = (await listings.list_job_summaries(connection, [job_id], utc_now())).get(job_id, (None, None))
        if job is None or not scope.reaches(department):
            raise NotFound("Não há vaga com este `id`.", code="job-unknown")
        counted = await store.count_job_candidates(connection, job_id)

    def count(id_: UUID | None) -> StatusCounts:
        return StatusCounts(**{each.status: each.number for each in counted if each.step == id_})

    steps = [StepCounts.of(None, count(None)), *(StepCounts.of(step, count(step.id)) for step in job.etapas)]
    return CandidateCounts(sum(step.total for step in steps), steps)


async def _encode_in_parts(
    call: Call, beginning: Candidates, further: Sequence[UUID], jobs: dict[UUID, JobSummary]
) -> AsyncGenerator[bytes, None]:
    """Yield the JSON of a page in parts. `beginning` contains its first items. No connection is held between parts."""
    yield b'{"data":' + msgspec.json.encode(beginning.data).removesuffix(b"]")
    for start in range(0, len(further), CHUNK):
        if part := await _read(call, further[start : start + CHUNK], jobs):
            yield b"," + msgspec.json.encode(part)[1:-1]
    meta, counts = msgspec.json.encode(beginning.meta), msgspec.json.encode(beginning.resumo)
    yield b'],"meta":' + meta + b',"resumo":' + counts + b"}"


async def _read(call: Call, ids: Sequence[UUID], jobs: dict[UUID, JobSummary]) -> list[Candidate]:
    """Return the applications in the order of `ids`, and record the read of each person in the audit trail.

    `jobs` is a cache of the jobs that were already read, to which this function adds new ones. Applications that were
    withdrawn or erased after their ids were read are omitted.
    """
    async with call.platform.database.connection() as connection:
        stored = await list_live_applications(connection, ids)
        if unread := {each.id_vaga for each in stored} - jobs.keys():
            read = await listings.list_job_summaries(connection, unread, utc_now())
            jobs |= {id_: job for id_, (job, _) in read.items()}
        persons = dict.fromkeys(Cpf(each.cpf) for each in stored if each.cpf is not None)
        await call.platform.audit.record_each(connection, call, "read", persons, fields=applications.FIELDS)
    return [
        Candidate(
            **msgspec.structs.asdict(show_application(each, jobs[each.id_vaga]))
            | {"personal_info": describe_listed(each.record)}
        )
        for each in stored
    ]
