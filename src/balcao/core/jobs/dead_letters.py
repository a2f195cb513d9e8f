"""Dead-lettered jobs of all services, for operators: list, read, retry and drop them by their number in the queue.

Features declare which person their jobs concern (`DeadJobs`). HTTP and the command line share this module and write the
same audit events.
"""

import re
from collections.abc import Sequence
from typing import Any

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Invalid, NotFound
from balcao.core.jobs import queue
from balcao.core.jobs.declaration import DeadJobs, DeclaredDeadJobs, Subject
from balcao.core.jobs.queue import JobFilters, QueuedJob, State
from balcao.core.jobs.schemas import (
    MOST_AT_ONCE,
    DeadLetter,
    DeadLetterDetail,
    DeadLetterPage,
    RetriedJobs,
    RetryJobsBody,
)
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import is_uuid
from balcao.core.values.page import Page
from balcao.core.values.text import clean_text

DEAD: tuple[State, ...] = ("dead",)
_NUMBER = re.compile(r"[1-9][0-9]{0,17}")


async def list_dead_letters(
    call: Call, page: Page, *, kinds: Sequence[str] = (), cpf: Cpf | None = None, states: Sequence[State] = DEAD
) -> DeadLetterPage:
    """List jobs, oldest first. The audit trail records the read, with the person if `cpf` is given."""
    async with call.platform.database.transaction() as connection:
        payloads = None if cpf is None else await _list_payloads(connection, call, cpf)
        filters = JobFilters(states, kinds, payloads=payloads)
        total = await queue.count_matching_jobs(connection, filters)
        jobs = await queue.list_queued_jobs(connection, filters, limit=page.limit, offset=page.offset)
        subjects = await _find_subjects(connection, call, jobs)
        await _record(connection, call, "read", cpf)
    return DeadLetterPage([_to_dead_letter(job, subjects.get(job.id)) for job in jobs], page.of(total))


async def read_dead_letter(call: Call, letter_id: str) -> DeadLetterDetail:
    """Return a job with its most recent failed attempts. Raises NotFound if it is done or never existed."""
    async with call.platform.database.transaction() as connection:
        job = await queue.read_queued_job(connection, parse_job_number(letter_id))
        subject = (await _find_subjects(connection, call, [job])).get(job.id)
        tries = await queue.list_tries(connection, job.id)
        await _record(connection, call, "read", subject.cpf if subject else None)
    fuller = tries if subject is None or subject.tries is None else list(subject.tries)[: queue.LAST_TRIES]
    return DeadLetterDetail(**_build_members(job, subject), attempts_log=fuller)


async def retry_dead_job(call: Call, letter_id: str) -> DeadLetter:
    """Put a job back into the queue. It is due immediately, and its count of attempts restarts at zero.

    Raises NotFound if the job is unknown, or Conflict if it is not dead.
    """
    number = parse_job_number(letter_id)
    async with call.platform.database.transaction() as connection:
        await queue.lock_dead_job(connection, number)
        await queue.retry_jobs(connection, [number])
        job = await queue.read_queued_job(connection, number)
        subject = (await _find_subjects(connection, call, [job])).get(number)
        await _record(connection, call, "update", subject.cpf if subject else None, job.kind)
    return _to_dead_letter(job, subject)


async def retry_many(call: Call, body: RetryJobsBody) -> RetriedJobs:
    """Put the oldest dead jobs of a kind back into the queue. With `error_code`, select only jobs that failed with it.

    Raises Invalid if a member of the body is malformed.
    """
    kind = clean_text("kind", body.kind, longest=100)
    code = None if body.error_code is None else clean_text("error_code", body.error_code, longest=100)
    if not 1 <= body.limit <= MOST_AT_ONCE:
        raise Invalid(f"O campo `limit` deve ser um número de 1 a {MOST_AT_ONCE}.", code="limit-invalid")
    async with call.platform.database.transaction() as connection:
        numbers = await queue.lock_matching_jobs(connection, JobFilters(DEAD, [kind], code), body.limit)
        await queue.retry_jobs(connection, numbers)
        # Record the kind only if jobs of that kind exist. Otherwise it is arbitrary text from the caller.
        await _record(connection, call, "update", None, kind if numbers else "")
    return RetriedJobs(len(numbers))


async def drop_dead_job(call: Call, letter_id: str, reason: str) -> None:
    """Drop a job permanently. The audit trail retains the reason.

    Raises Invalid for an unusable reason, NotFound for an unknown job, or Conflict if the job is not dead.
    """
    call.give_reason("reason", reason)
    number = parse_job_number(letter_id)
    async with call.platform.database.transaction() as connection:
        await drop_dead_job_within(connection, call, number)


async def drop_dead_job_within(connection: Connection, call: Call, number: int) -> None:
    """Drop the job in the caller's transaction.

    Lock order: close the feature's row first, then lock the job, because other writers use this order too.
    """
    job = await queue.read_queued_job(connection, number)
    subject = (await _find_subjects(connection, call, [job])).get(number)
    if (declared := _get_declared(call).get(job.kind)) and (row := _parse_row_id(declared, job)):
        await declared.drop(connection, row)
    await queue.lock_dead_job(connection, number)
    await queue.drop_queued_job(connection, number)
    await _record(connection, call, "delete", subject.cpf if subject else None, job.kind)


def parse_job_number(letter_id: str) -> int:
    """Return the number of a job. Raises NotFound if the string is not a number."""
    if not _NUMBER.fullmatch(letter_id):
        raise NotFound("Não há tarefa com este número na fila.", code="job-unknown")
    return int(letter_id)


async def _record(connection: Connection, call: Call, action: Any, cpf: Cpf | None, kind: str = "") -> None:
    fields = [f"job:{kind}"] if kind else ["jobs"]
    await call.platform.audit.record(connection, call, action, subject=cpf, fields=fields)


def _get_declared(call: Call) -> DeclaredDeadJobs:
    return call.platform.part(DeclaredDeadJobs)


async def _list_payloads(connection: Connection, call: Call, cpf: Cpf) -> list[tuple[str, dict[str, str]]]:
    return [
        (kind, {declared.member: row})
        for kind, declared in _get_declared(call).items()
        for row in await declared.ids(connection, cpf)
    ]


async def _find_subjects(connection: Connection, call: Call, jobs: Sequence[QueuedJob]) -> dict[int, Subject]:
    """Return the person whom each job concerns, by the number of the job.

    A job is left out if its row is gone or belongs to another service.
    """
    found: dict[int, Subject] = {}
    for kind, declared in _get_declared(call).items():
        rows = {job.id: row for job in jobs if job.kind == kind and (row := _parse_row_id(declared, job))}
        if rows:
            subjects = await declared.subjects(connection, sorted(set(rows.values())))
            found |= {number: subjects[row] for number, row in rows.items() if row in subjects}
    return found


def _parse_row_id(declared: DeadJobs, job: QueuedJob) -> str | None:
    row = job.payload.get(declared.member)
    return row if isinstance(row, str) and is_uuid(row) else None


def _to_dead_letter(job: QueuedJob, subject: Subject | None) -> DeadLetter:
    return DeadLetter(**_build_members(job, subject))


def _build_members(job: QueuedJob, subject: Subject | None) -> dict[str, Any]:
    last = subject.tries[0] if subject and subject.tries and job.attempts else None
    return {
        "id": str(job.id),
        "kind": job.kind,
        "cpf": subject.cpf.masked if subject else None,
        "fields": list(subject.fields) if subject else [],
        "attempts": job.attempts,
        "first_failed_at": job.first_failed_at,
        "last_failed_at": job.last_failed_at,
        "http_status": last.status if last else None,
        "error_code": job.error_code,
        "state": job.state,
        "request_id": subject.request_id if subject else None,
    }
