"""Creates, changes and deletes jobs, and changes their states (rules: employability 2.5, 4.1, 4.2, 4.6)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

import msgspec

from balcao.core.access.reach import ANY_DEPARTMENT
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.jobs.worker import enqueue
from balcao.core.values.clock import utc_now
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.companies import service as companies
from balcao.employability.hiring.content.merge import merge_department, merge_job
from balcao.employability.hiring.content.rules import (
    JobContent,
    StoredContent,
    list_missing,
    require_fields,
    require_future,
)
from balcao.employability.hiring.content.schemas import JobBody
from balcao.employability.hiring.departments import service as departments
from balcao.employability.hiring.departments.scope import Scope, find_scope
from balcao.employability.hiring.listings import store, writing_store
from balcao.employability.hiring.listings.schemas import (
    History,
    Job,
    JobChanged,
    JobEvent,
    JobSummary,
    NewJob,
    RemainingSteps,
    StaffJob,
)
from balcao.employability.hiring.listings.states import (
    DRAFTS,
    EVENT_NAMES,
    STATUS_NAMES,
    Event,
    JobStatus,
    Transition,
    find_job_transition,
    list_open_transitions,
    show_job_status,
)
from balcao.employability.lists import ListMeta
from balcao.employability.reference_values.kinds import ValueKey
from balcao.employability.reference_values.store import list_unknown_values
from balcao.employability.schemas import Message

# A function that computes a job's new content from its stored content.
Change = Callable[[JobContent], JobContent]
FIELDS = ["vaga"]
DELETED = "deleted"
# The background job that e-mails candidates when a job listing is discontinued. The feature `emails` runs it.
JOB_CLOSED = "job_closed"
# The author of imported drafts. No caller has this subject. An imported draft without a department is therefore visible
# only to callers who reach every department.
IMPORTER = "import"
# The event and the author's name in an imported job's history.
IMPORT, IMPORTER_NAME = "import", "Importação"


async def read_job(call: Call, id_: UUID) -> StaffJob:
    """Return a job. Raises NotFound if it does not exist or is out of the caller's reach."""
    scope = await find_scope(call)
    async with call.platform.database.connection() as connection:
        return _show(call, require_job(await store.select_job(connection, scope, id_, utc_now())))


async def list_job_summaries(
    connection: Connection, ids: Iterable[UUID], now: datetime
) -> dict[UUID, tuple[JobSummary, str | None]]:
    """Return, by id, the summary and department code of these jobs, including deleted jobs."""
    return {
        job.id: (job, department) for job, department in await store.select_job_summaries(connection, list(ids), now)
    }


def require_job(job: Job | None) -> Job:
    """Return the job. Raises NotFound if it is None."""
    if job is None:
        raise NotFound("Não há vaga com este `id`.", code="job-unknown")
    return job


def summarise_job(job: Job) -> JobSummary:
    """Return the part of a job that its applications contain."""
    return msgspec.convert(job, JobSummary, from_attributes=True)


async def list_job_history(call: Call, id_: UUID, page: Page) -> History:
    """Return a page of a job's history, newest first. Raises NotFound if the job is unknown or out of reach."""
    scope = await find_scope(call)
    async with call.platform.database.connection() as connection:
        require_job(await store.select_job(connection, scope, id_, utc_now()))
        entries, total = await store.select_job_history(connection, id_, page)
    return History(entries, ListMeta.of(page, total))


async def create_job(call: Call, body: JobBody, event: Event | None) -> bytes:
    """Create a job, apply the optional `event` in the same transaction, and return the job as JSON.

    Raises Invalid if the body is not valid, or is incomplete for `event`. Raises Forbidden if the caller may not cause
    the event or assign the department, Conflict if the idempotency key was used for another request, and Unavailable if
    the department cannot be checked.
    """
    first = None if event is None else _require_right(call, find_job_transition(event, JobStatus.EDITING))
    content = merge_job(body, None, call.zone)
    scope = await find_scope(call)
    await _require_department(call, scope, content.id_orgao_parceiro)
    # The id must be random, because slugs distinguish jobs by the first digits of their ids.
    job_id = uuid4()

    async def insert() -> StaffJob:
        now = utc_now()
        await _require_known(connection, content)
        await writing_store.insert_draft(connection, job_id, content, scope.author, call.author.name)
        if first is not None:
            await _apply(connection, call, await _read(connection, scope, job_id, now), first, now, None)
        await call.platform.audit.record(connection, call, "create", fields=FIELDS)
        return _show(call, await _read(connection, scope, job_id, now))

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [body, event], insert)


async def replace_job(call: Call, id_: UUID, body: JobBody) -> StaffJob:
    """Replace a job's content and return the stored job.

    Raises Invalid if the content is not valid, or is incomplete for the job's state. Raises Forbidden if the caller may
    not edit the job in this state or assign the department, NotFound if the job is unknown or out of reach,
    PreconditionFailed if `If-Match` does not match, and Unavailable if the department cannot be checked.
    """
    scope = await find_scope(call)
    await _look_up_department(call, scope, id_, body)
    return await _change(call, scope, id_, lambda stored: merge_job(body, stored, call.zone))


async def change_job(call: Call, id_: UUID, change: Change) -> StaffJob:
    """Apply `change` to a job's content, check the rules of the job's state, and return the stored job.

    Raises the exceptions of `change`, and Invalid if the new content is not valid, or is incomplete for the job's
    state. Raises Forbidden if the caller may not edit the job in this state, NotFound if the job is unknown or out of
    reach, and PreconditionFailed if `If-Match` does not match.
    """
    return await _change(call, await find_scope(call), id_, change)


async def change_job_once(
    call: Call, id_: UUID, parts: Sequence[Any], change: Change, pick: Callable[[StaffJob], Any]
) -> bytes:
    """Do the same as `change_job`, but only once for each `Idempotency-Key`. Return the result of `pick` as JSON.

    `id_` and `parts` identify the request. Raises the errors of `change_job`, and Conflict if the key was used for
    another request.
    """
    scope = await find_scope(call)

    async def make() -> Any:
        return pick(await _change_locked(connection, call, scope, id_, change))

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, call, None, [id_, *parts], make)


async def delete_job(call: Call, id_: UUID) -> Message:
    """Mark a job as deleted.

    Raises Forbidden if the caller may not delete a job in this state, NotFound if the job is unknown or out of reach,
    and PreconditionFailed if `If-Match` does not match.
    """
    scope, now = await find_scope(call), utc_now()
    async with call.platform.database.transaction() as connection:
        job = await _lock(connection, call, scope, id_, now)
        transition = _require_right(call, find_job_transition(Event.DELETE, job.status))
        await store.mark_job_deleted(connection, id_)
        await _record(connection, call, id_, job.status, Event.DELETE, DELETED)
        await call.platform.audit.record(connection, call, "delete", fields=FIELDS)
    return Message(transition.done)


async def move_job(call: Call, id_: UUID, transition: Transition, reason: str | None) -> JobChanged:
    """Move a job to another state.

    Raises Invalid if the transition is checked and the job is incomplete or its deadline has passed. Raises Forbidden
    if the caller has none of the transition's actions, NotFound if the job is unknown or out of reach,
    PreconditionFailed if `If-Match` does not match, and Conflict if the job's state does not allow the transition.
    """
    _require_right(call, transition)
    scope, now = await find_scope(call), utc_now()
    async with call.platform.database.transaction() as connection:
        job = await _lock(connection, call, scope, id_, now)
        if job.status not in transition.sources:
            raise _wrong_state(call, job.status)
        await _apply(connection, call, job, transition, now, reason)
        await call.platform.audit.record(connection, call, "update", fields=FIELDS)
    return JobChanged(transition.done, id_)


async def insert_imported_jobs(connection: Connection, jobs: Mapping[UUID, NewJob]) -> int:
    """Insert imported jobs, each with an event in its history, and return the number of new jobs.

    Existing jobs do not change. Raises asyncpg's ForeignKeyViolationError if a job refers to a record that does not
    exist.
    """
    return await writing_store.insert_whole_jobs(connection, jobs, IMPORTER, IMPORT, IMPORTER_NAME)


async def replace_imported_jobs(
    connection: Connection, stored: Mapping[UUID, StoredContent], contents: Mapping[UUID, JobContent]
) -> None:
    """Replace the content of jobs and add an event to each job's history.

    Candidates at a removed step move to the previous remaining step, or to no step.
    """
    remaining = {id_: [step.id for step in content.etapas] for id_, content in contents.items()}
    leaving = [
        RemainingSteps(id_, steps)
        for id_, steps in remaining.items()
        if any(step.id not in steps for step in stored[id_].etapas)
    ]
    if leaving:
        await store.lock_jobs(connection, [job.job for job in leaving])
        await store.leave_steps(connection, leaving)
    await writing_store.update_jobs(connection, contents)
    events = [JobEvent(id_, stored[id_].status, IMPORT, stored[id_].status, IMPORTER_NAME) for id_ in contents]
    await store.insert_job_events(connection, events)


async def _change(call: Call, scope: Scope, id_: UUID, change: Change) -> StaffJob:
    async with call.platform.database.transaction() as connection:
        return await _change_locked(connection, call, scope, id_, change)


async def _change_locked(connection: Connection, call: Call, scope: Scope, id_: UUID, change: Change) -> StaffJob:
    now = utc_now()
    job = await _lock(connection, call, scope, id_, now)
    _require_right(call, find_job_transition(Event.EDIT, job.status))
    stored = job.to_content()
    content = change(stored)
    if not _may_change_department(call, job.status):
        content = msgspec.structs.replace(content, id_orgao_parceiro=stored.id_orgao_parceiro)
    _require_reach(scope, content.id_orgao_parceiro)
    if job.status is not JobStatus.EDITING:
        require_fields(list_missing(content))
        if content.data_limite != stored.data_limite:
            require_future(content.data_limite, now)
    await _require_known(connection, content)
    remaining = [step.id for step in content.etapas]
    if any(step.id not in remaining for step in stored.etapas):
        await store.leave_steps(connection, [RemainingSteps(id_, remaining)])
    await writing_store.update_jobs(connection, {id_: content})
    changed = await _read(connection, scope, id_, now)
    if job.status is not JobStatus.EDITING:
        # The event in the history shows the approver and other readers that the job has changed.
        await _record(connection, call, id_, job.status, Event.EDIT, changed.status)
    await call.platform.audit.record(connection, call, "update", fields=FIELDS)
    return _show(call, changed)


async def _apply(
    connection: Connection, call: Call, job: Job, transition: Transition, now: datetime, reason: str | None
) -> None:
    """Apply a transition to a locked job.

    Raises Invalid if the transition is checked and the job is incomplete or its deadline has passed.
    """
    if transition.is_checked:
        content = job.to_content()
        require_fields(list_missing(content))
        require_future(content.data_limite, now)
    assert transition.target is not None
    publishes = transition.event is Event.PUBLISH
    await store.update_job_status(connection, job.id, transition.target, now if publishes else None)
    after = show_job_status(transition.target, job.data_limite, now)
    entry = await _record(connection, call, job.id, job.status, transition.event, after, reason)
    if transition.event is Event.DISCONTINUE and call.platform.settings.jobs_closed_email:
        await enqueue(connection, JOB_CLOSED, {"vaga": str(job.id), "event": entry})


async def _record(
    connection: Connection,
    call: Call,
    id_: UUID,
    before: JobStatus | None,
    event: Event,
    after: str,
    reason: str | None = None,
) -> int:
    occurred = JobEvent(id_, before, event, after, call.author.name, reason)
    return await store.insert_job_events(connection, [occurred])


async def _lock(connection: Connection, call: Call, scope: Scope, id_: UUID, now: datetime) -> Job:
    job = require_job(await store.lock_job(connection, scope, id_, now))
    if call.if_match is not None:
        require_match(call.if_match, etag_of(msgspec.json.encode(_show(call, job))))
    return job


async def _read(connection: Connection, scope: Scope, id_: UUID, now: datetime) -> Job:
    return require_job(await store.select_job(connection, scope, id_, now))


def _show(call: Call, job: Job) -> StaffJob:
    return StaffJob(**msgspec.structs.asdict(job), acoes_permitidas=list_open_transitions(job.status, call.holds))


async def _require_known(connection: Connection, content: JobContent) -> None:
    """Raise Invalid if the company or a reference value does not exist."""
    if not await companies.has_company(connection, content.id_contratante):
        raise Invalid("O campo `id_contratante` não é o CNPJ de uma empresa cadastrada.", code="company-unknown")
    references = content.list_references()
    unknown = await list_unknown_values(connection, [ValueKey(kind, id_) for _, kind, id_ in references])
    for field, kind, id_ in references:
        if ValueKey(kind, id_) in unknown:
            raise Invalid(f"O campo `{field}` não é o id de um valor da tabela `{kind}`.", code=f"{field}-invalid")


async def _look_up_department(call: Call, scope: Scope, id_: UUID, body: JobBody) -> None:
    """Check a job's new department. Do this before any row is locked, because it may call the registry."""
    wanted = merge_department(body, None)
    if wanted is None:
        return
    async with call.platform.database.connection() as connection:
        job = await store.select_job(connection, scope, id_, utc_now())
    if job is not None and job.id_orgao_parceiro != wanted and _may_change_department(call, job.status):
        await _require_department(call, scope, wanted)


async def _require_department(call: Call, scope: Scope, cd_ua: str | None) -> None:
    _require_reach(scope, cd_ua)
    if cd_ua is not None:
        await departments.require_department(call, cd_ua)


def _may_change_department(call: Call, status: JobStatus) -> bool:
    return status in DRAFTS or call.holds(ANY_DEPARTMENT)


def _require_reach(scope: Scope, cd_ua: str | None) -> None:
    if not scope.covers(cd_ua):
        raise Forbidden("O campo `id_orgao_parceiro` não é um órgão seu.", code="department-foreign")


def _require_right(call: Call, transition: Transition | None) -> Transition:
    """Return `transition`. Raises Forbidden if the caller has no right to any of the transition's actions."""
    assert transition is not None
    if not any(map(call.holds, transition.actions)):
        raise call.lacks(*transition.actions)
    return transition


def _wrong_state(call: Call, status: JobStatus) -> Conflict:
    events = map(Event, list_open_transitions(status, call.holds))
    open_ = ", ".join(f"{EVENT_NAMES[event]} (`{event}`)" for event in events) or "nenhuma"
    text = f"A vaga está {STATUS_NAMES[status]} (`{status}`); o que você pode fazer com ela agora: {open_}."
    return Conflict(text, code="job-state")
