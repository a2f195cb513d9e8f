"""Reads, changes and withdraws applications (rules: employability 2.7, 3.4, 4.3)."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.etags import etag_of, require_match
from balcao.core.values.page import Page
from balcao.employability.hiring.departments.scope import NO_DEPARTMENT, Scope, find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.lists import ListMeta
from balcao.employability.resume.overview.store import read_stored_resume
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import store
from balcao.employability.selection.applications.schemas import (
    Application,
    ApplicationDetail,
    ApplicationHistory,
    Applications,
    OwnFilters,
    RestoredApplication,
    StoredApplication,
)
from balcao.employability.selection.applications.states import (
    READ,
    READ_SENSITIVE,
    ApplicationStatus,
    Change,
    Event,
    Move,
    list_open_events,
    require_transition,
    show_application_status,
)
from balcao.employability.selection.emails import service as emails
from balcao.employability.selection.emails.kinds import Email
from balcao.employability.selection.people import service as people
from balcao.employability.selection.people.info import describe_whole

FIELDS = ["candidatura"]


async def list_applications_of_person(call: Call, cpf: Cpf, filters: OwnFilters, page: Page) -> Applications:
    """Return a page of a person's applications, newest first. Staff see only applications for jobs within their reach.

    The audit trail records a read by any caller other than the person.
    """
    departments = None
    if not call.is_owner and (scope := await find_scope(call)).departments is not None:
        departments = sorted(scope.departments)
    async with call.reading(cpf, FIELDS) as source:
        stored, counts = await store.select_applications_of_person(source, cpf, departments, filters, page)
        jobs = await listings.list_job_summaries(source, {each.id_vaga for each in stored}, utc_now())
    by_status: dict[str, int] = msgspec.structs.asdict(counts)
    total = sum(by_status.values()) if filters.status is None else by_status[filters.status]
    return Applications(
        [show_application(each, jobs[each.id_vaga][0]) for each in stored], ListMeta.of(page, total), counts
    )


async def read_application(call: Call, id_: UUID) -> ApplicationDetail:
    """Return an application with the events that the caller can cause. The audit trail records a read by staff.

    Raises the same NotFound for an unknown id and for an application outside the caller's reach.
    """
    reached, stored, job = await find_application(call, id_, READ)
    async with reached.reading(_person(stored), FIELDS) as source:
        return await describe_application(source, reached, stored, job)


async def list_application_history(call: Call, id_: UUID, page: Page) -> ApplicationHistory:
    """Return a page of an application's history, newest first. The application may be withdrawn.

    Candidates do not see the names of staff. Raises NotFound in the same cases as `read_application`.
    """
    reached, stored, _ = await find_application(call, id_, READ, also_withdrawn=True)
    async with reached.reading(_person(stored), FIELDS) as source:
        entries, total = await store.select_application_history(source, id_, page)
    if reached.is_owner:
        entries = [msgspec.structs.replace(entry, por=None) for entry in entries]
    return ApplicationHistory(entries, ListMeta.of(page, total))


async def update_application(
    connection: Connection, call: Call, changed: StoredApplication, job: JobSummary
) -> ApplicationDetail:
    """Store the changed contact and answers of a locked application, and return the application."""
    updated_at = await store.update_application(connection, changed, name_author(call))
    await _record(connection, call, "update", changed)
    stored = msgspec.structs.replace(changed, updated_at=updated_at)
    return await describe_application(connection, call, stored, job)


async def withdraw_application(call: Call, id_: UUID) -> Message:
    """Withdraw the caller's own application.

    Raises NotFound if the caller has no such application, PreconditionFailed if `If-Match` does not match, and Conflict
    after a decision.
    """
    async with call.platform.database.transaction() as connection:
        reached, stored, job = await lock_application(connection, call, id_, None, NO_DEPARTMENT)
        await require_current(connection, reached, stored, job)
        row = require_transition(Event.WITHDRAW, stored, job)
        await move_applications(connection, reached, [Move(stored, Change(row, stored.id_etapa_atual))])
        await _record(connection, reached, "delete", stored)
    return Message("Candidatura retirada.")


async def find_changeable_scope(call: Call, action: str) -> Scope:
    """Return the scope in which the caller may use this action on other people's applications.

    This may call the registry, so call it before the transaction that locks the application. Raises Unavailable in the
    same cases as `find_scope`.
    """
    return await find_scope(call) if call.holds(action) else NO_DEPARTMENT


async def lock_application(
    connection: Connection, call: Call, id_: UUID, action: str | None, scope: Scope
) -> tuple[Call, StoredApplication, JobSummary]:
    """Lock an application and its job until the transaction ends. Return the same values as `find_application`.

    If `action` is None, only the candidate has access. Raises NotFound in the same cases as `find_application`.
    """
    if not await store.lock_application(connection, id_, call.actor_cpf, scope):
        raise _unknown()
    stored, job, _ = await _read_with_job(connection, id_)
    reached = call.as_owner() if action is None else call.with_right_to(_person(stored), action)
    if reached is None:
        raise _unknown()
    return reached, stored, job


async def require_current(connection: Connection, call: Call, stored: StoredApplication, job: JobSummary) -> None:
    """Raise PreconditionFailed if `If-Match` does not match the locked application."""
    if call.if_match is not None:
        require_match(
            call.if_match, etag_of(msgspec.json.encode(await describe_application(connection, call, stored, job)))
        )


async def move_applications(
    connection: Connection,
    call: Call,
    moves: Sequence[Move],
    reason: str | None = None,
) -> None:
    """Change the status and step of locked applications, add events to their histories, and enqueue the e-mails."""
    events = await store.move_applications(connection, moves, name_author(call), reason)
    for kind in Email:
        if occurred := {before.id: events[before.id] for before, change in moves if change.row.email is kind}:
            await emails.enqueue_emails(connection, kind, occurred)


async def list_missing_application_ids(call: Call, ids: Sequence[UUID]) -> set[UUID]:
    """Return the ids that belong to no application, not even a withdrawn one."""
    async with call.platform.database.connection() as connection:
        return await store.select_missing_application_ids(connection, ids)


async def restore_applications(call: Call, rows: Sequence[RestoredApplication]) -> None:
    """Insert applications with given states, with a snapshot of the person's resume if `has_resume` is set.

    Existing applications do not change.
    """
    async with call.platform.database.transaction() as connection:
        stored = {row.cpf: await read_stored_resume(connection, Cpf(row.cpf)) for row in rows if row.has_resume}
        snapshots = {cpf: resume.content for cpf, resume in stored.items()}
        whole = [msgspec.structs.replace(row, resume=snapshots.get(row.cpf, row.resume)) for row in rows]
        await store.restore_applications(connection, whole)


async def find_application(
    call: Call, id_: UUID, action: str, *, also_withdrawn: bool = False
) -> tuple[Call, StoredApplication, JobSummary]:
    """Return an application, its job, and the call with the caller's right to the application.

    Candidates have this right as owners. Staff have it through `action`, if they can reach the job.

    Raises the same NotFound for an unknown id and for an application outside the caller's reach.
    """
    async with call.platform.database.connection() as connection:
        stored, job, department = await _read_with_job(connection, id_, also_withdrawn=also_withdrawn)
    reached = call.with_right_to(_person(stored), action)
    if reached is None or not (reached.is_owner or (await find_scope(call)).reaches(department)):
        raise _unknown()
    return reached, stored, job


async def _read_with_job(
    connection: Connection, id_: UUID, *, also_withdrawn: bool = False
) -> tuple[StoredApplication, JobSummary, str | None]:
    stored = _require(await store.select_application(connection, id_), also_withdrawn=also_withdrawn)
    job, department = (await listings.list_job_summaries(connection, [stored.id_vaga], utc_now()))[stored.id_vaga]
    return stored, job, department


async def describe_application(
    connection: Connection, call: Call, stored: StoredApplication, job: JobSummary
) -> ApplicationDetail:
    """Return an application with the events that the caller can cause.

    For staff, it contains the candidate's data from the copied registry record.
    """
    open_events = list_open_events(
        stored.status,
        job.status,
        has_step=stored.id_etapa_atual is not None,
        is_candidate=call.is_owner,
        holds=call.holds,
    )
    shown = msgspec.structs.asdict(show_application(stored, job)) | {"acoes_permitidas": open_events}
    detail = ApplicationDetail(**shown)
    if call.is_owner:
        return detail
    person = _person(stored)
    copy = (await people.read_person_copies(connection, [person])).get(person)
    info = describe_whole(copy, also_sensitive=call.holds(READ_SENSITIVE))
    return msgspec.structs.replace(detail, personal_info=info)


def show_application(stored: StoredApplication, job: JobSummary) -> Application:
    """Return an application in the form that callers see, given the state of its job."""
    shown = show_application_status(stored.status, job.status)
    return Application(
        id=stored.id,
        cpf=stored.cpf,
        nome=stored.nome,
        email=stored.email,
        id_vaga=stored.id_vaga,
        status=shown,
        status_anterior=None if shown is stored.status else stored.status,
        id_etapa_atual=stored.id_etapa_atual,
        etapa_atual=next((step for step in job.etapas if step.id == stored.id_etapa_atual), None),
        respostas_info_complementares=stored.respostas,
        curriculo_snapshot=stored.curriculo_snapshot,
        vaga=job,
        created_at=stored.created_at,
        updated_at=stored.updated_at,
    )


async def _record(connection: Connection, call: Call, action: Action, stored: StoredApplication) -> None:
    await call.platform.audit.record(connection, call, action, subject=_person(stored), fields=FIELDS)


def _person(stored: StoredApplication) -> Cpf:
    assert stored.cpf is not None
    return Cpf(stored.cpf)


def name_author(call: Call) -> str | None:
    """Return the name of the acting member of staff, or None if the caller is the candidate."""
    return None if call.is_owner else call.author.name


def _require(stored: StoredApplication | None, *, also_withdrawn: bool = False) -> StoredApplication:
    """Return the application. Raises NotFound if it is None or its CPF was erased.

    Unless `also_withdrawn` is set, NotFound is also raised for a withdrawn application.
    """
    is_withdrawn = stored is not None and stored.status is ApplicationStatus.WITHDRAWN
    if stored is None or stored.cpf is None or (is_withdrawn and not also_withdrawn):
        raise _unknown()
    return stored


def _unknown() -> NotFound:
    return NotFound("Não há candidatura com este `id`.", code="application-unknown")
