"""Applications: made, changed and withdrawn by citizens (rules: employability 2.7, 3.4, 4.3, 5.1)."""

from collections.abc import Collection, Sequence
from datetime import datetime
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
from balcao.employability.hiring.departments.scope import find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.lists import ListMeta
from balcao.employability.resume.overview import service as resumes
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import store
from balcao.employability.selection.applications.answers import check_answers
from balcao.employability.selection.applications.choices import Change, Move, require_transition
from balcao.employability.selection.applications.contact import clean_email, clean_name
from balcao.employability.selection.applications.filters import OwnFilters
from balcao.employability.selection.applications.records import (
    ApplicationPosition,
    ListedApplication,
    RestoredApplication,
    StoredApplication,
    show_to,
)
from balcao.employability.selection.applications.records import (
    show_application as show_listed,
)
from balcao.employability.selection.applications.schemas import (
    ApplicationChange,
    ApplicationDetail,
    ApplicationHistory,
    Applications,
)
from balcao.employability.selection.applications.states import (
    CREATE_ANY,
    READ,
    READ_SENSITIVE,
    ApplicationStatus,
    Event,
)
from balcao.employability.selection.emails import service as emails
from balcao.employability.selection.emails.kinds import Email
from balcao.employability.selection.people import service as people
from balcao.employability.selection.people.info import describe_whole

FIELDS = ["candidatura"]


async def list_applications_of_person(call: Call, cpf: Cpf, filters: OwnFilters, page: Page) -> Applications:
    """Return a page of a person's applications, newest first; to staff those for jobs within their reach.

    A read by anybody but the person is recorded.
    """
    departments = None
    if not call.is_owner and (scope := await find_scope(call)).departments is not None:
        departments = sorted(scope.departments)
    async with call.reading(cpf, FIELDS) as source:
        stored, counts = await store.list_applications_of_person(source, cpf, departments, filters, page)
        jobs = await listings.list_job_summaries(source, {each.id_vaga for each in stored}, utc_now())
    by_status: dict[str, int] = msgspec.structs.asdict(counts)
    total = sum(by_status.values()) if filters.status is None else by_status[filters.status]
    return Applications([show_listed(each, jobs[each.id_vaga][0]) for each in stored], ListMeta.of(page, total), counts)


async def read_application(call: Call, id_: UUID) -> ApplicationDetail:
    """Return an application, with what the caller may do with it; a read by staff is recorded.

    Raises NotFound alike for an unknown id and for an application out of the caller's reach.
    """
    reached, stored, job = await find_application(call, id_, READ)
    async with reached.reading(_person(stored), FIELDS) as source:
        return await describe_application(source, reached, stored, job)


async def list_live_applications(connection: Connection, ids: Sequence[UUID]) -> list[ListedApplication]:
    """Return those of these applications that live and name their person, in this order, each with the registry's copy.

    Who may see them is the caller's to know.
    """
    return await store.list_live_applications(connection, ids)


async def list_application_history(call: Call, id_: UUID, page: Page) -> ApplicationHistory:
    """Return a page of what happened to an application, a withdrawn one too, newest first.

    Raises NotFound as `read_application` does. The candidate is not told who of the staff did something.
    """
    reached, stored, _ = await find_application(call, id_, READ, also_withdrawn=True)
    async with reached.reading(_person(stored), FIELDS) as source:
        entries, total = await store.list_application_history(source, id_, page)
    if reached.is_owner:
        entries = [msgspec.structs.replace(entry, por=None) for entry in entries]
    return ApplicationHistory(entries, ListMeta.of(page, total))


async def replace_application(call: Call, id_: UUID, body: ApplicationChange) -> ApplicationDetail:
    """Change contact and answers of an application that nobody has decided on, and return it as stored.

    Raises Invalid, PreconditionFailed, NotFound as `read_application` does, and Conflict in any other state.
    """
    reached, _, _ = await find_application(call, id_, CREATE_ANY)
    reached.require_reason()
    email, name = clean_email(body.email), None if reached.is_owner else clean_name(body.nome)
    async with call.platform.database.transaction() as connection:
        stored, job = await lock_application(connection, reached, id_)
        require_transition(Event.EDIT, stored, job)
        answers = stored.respostas
        if body.respostas_info_complementares is not None:
            answers = check_answers(job.informacoes_complementares, body.respostas_info_complementares)
        await store.update_application(
            connection, id_, name or stored.nome, email or stored.email, answers, name_author(reached)
        )
        await _record(connection, reached, "update", stored)
        return await read_application_detail(connection, reached, id_, utc_now())


async def withdraw_application(call: Call, id_: UUID) -> Message:
    """Withdraw the caller's own application.

    Raises NotFound, also for another person's, PreconditionFailed, and Conflict once it was decided on.
    """
    reached, _, _ = await find_application(call, id_, None)
    async with call.platform.database.transaction() as connection:
        stored, job = await lock_application(connection, reached, id_)
        row = require_transition(Event.WITHDRAW, stored, job)
        await move_applications(connection, reached, [Move(stored, Change(row, stored.id_etapa_atual))])
        await _record(connection, reached, "delete", stored)
    return Message("Candidatura retirada.")


async def lock_application(connection: Connection, call: Call, id_: UUID) -> tuple[StoredApplication, JobSummary]:
    """Return an application and its job, neither of which changes until the transaction ends.

    The job is locked first, as an edit of the job does that moves candidates. Raises NotFound for an application that
    is gone or withdrawn, and PreconditionFailed.
    """
    found = _require(await store.read_application(connection, id_))
    await listings.share_job(connection, found.id_vaga)
    stored = _require(await store.lock_application(connection, id_))
    job, _ = (await listings.list_job_summaries(connection, [stored.id_vaga], utc_now()))[stored.id_vaga]
    if call.if_match is not None:
        require_match(
            call.if_match, etag_of(msgspec.json.encode(await describe_application(connection, call, stored, job)))
        )
    return stored, job


async def move_applications(
    connection: Connection,
    call: Call,
    moves: Sequence[Move],
    reason: str | None = None,
) -> None:
    """Carry out rows of the table on locked applications: status, step, history and e-mails."""
    events = await store.move_applications(connection, moves, name_author(call), reason)
    for kind in Email:
        if occurred := {before.id: events[before.id] for before, change in moves if change.row.email is kind}:
            await emails.enqueue_emails(connection, kind, occurred)


async def lock_live_applications(
    connection: Connection, job: UUID, people: Collection[Cpf]
) -> list[ApplicationPosition]:
    """Return where these people's applications for a job stand, none of which changes until the transaction ends."""
    return await store.lock_live_applications(connection, job, people)


async def list_missing_application_ids(call: Call, ids: Sequence[UUID]) -> set[UUID]:
    """Return those of the ids that no application ever had."""
    async with call.platform.database.connection() as connection:
        return await store.list_missing_application_ids(connection, ids)


async def restore_applications(call: Call, rows: Sequence[RestoredApplication]) -> None:
    """Store applications as they stood elsewhere, some with the resume that their person has now; others stay."""
    async with call.platform.database.transaction() as connection:
        stored = {row.cpf: await resumes.read_stored_resume(connection, Cpf(row.cpf)) for row in rows if row.has_resume}
        snapshots = {cpf: resume.content for cpf, resume in stored.items()}
        whole = [msgspec.structs.replace(row, resume=snapshots.get(row.cpf)) for row in rows]
        await store.restore_applications(connection, whole)


async def find_application(
    call: Call, id_: UUID, action: str | None, *, also_withdrawn: bool = False
) -> tuple[Call, StoredApplication, JobSummary]:
    """Return an application and its job, and the call by its right to it: the candidate's own, or the action's.

    Raises NotFound alike for an unknown id and for an application out of the caller's reach.
    """
    async with call.platform.database.connection() as connection:
        stored = _require(await store.read_application(connection, id_), also_withdrawn=also_withdrawn)
        job, department = (await listings.list_job_summaries(connection, [stored.id_vaga], utc_now()))[stored.id_vaga]
    cpf = _person(stored)
    if cpf == call.actor_cpf:
        return call.as_owner(), stored, job
    reached = call.with_right_to(cpf, action) if action is not None else None
    if reached is None or not (await find_scope(call)).reaches(department):
        raise _unknown()
    return reached, stored, job


async def read_application_detail(connection: Connection, call: Call, id_: UUID, now: datetime) -> ApplicationDetail:
    """Return an application as `describe_application` does. Raises NotFound."""
    stored = _require(await store.read_application(connection, id_))
    job, _ = (await listings.list_job_summaries(connection, [stored.id_vaga], now))[stored.id_vaga]
    return await describe_application(connection, call, stored, job)


async def describe_application(
    connection: Connection, call: Call, stored: StoredApplication, job: JobSummary
) -> ApplicationDetail:
    """Return an application with what the caller may do with it; to staff also with what is known of the person."""
    shown = show_to(stored, job, is_candidate=call.is_owner, holds=call.holds)
    detail = ApplicationDetail(**msgspec.structs.asdict(shown))
    if call.is_owner:
        return detail
    person = _person(stored)
    copy = (await people.read_person_copies(connection, [person])).get(person)
    info = describe_whole(copy, also_sensitive=call.holds(READ_SENSITIVE))
    return msgspec.structs.replace(detail, personal_info=info)


async def _record(connection: Connection, call: Call, action: Action, stored: StoredApplication) -> None:
    await call.platform.audit.record(connection, call, action, subject=_person(stored), fields=FIELDS)


def _person(stored: StoredApplication) -> Cpf:
    assert stored.cpf is not None
    return Cpf(stored.cpf)


def name_author(call: Call) -> str | None:
    """Return the name of the member of staff who acts; None for the candidate."""
    return None if call.is_owner else call.author.name


def _require(stored: StoredApplication | None, *, also_withdrawn: bool = False) -> StoredApplication:
    """Return an application that lives. Raises NotFound for none, a withdrawn one and one without its person."""
    is_withdrawn = stored is not None and stored.status is ApplicationStatus.WITHDRAWN
    if stored is None or stored.cpf is None or (is_withdrawn and not also_withdrawn):
        raise _unknown()
    return stored


def _unknown() -> NotFound:
    return NotFound("Não há candidatura com este `id`.", code="application-unknown")
