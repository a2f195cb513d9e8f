"""Applications: made, changed and withdrawn by citizens (rules: employability 2.7, 3.4, 4.3, 5.1)."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from balcao.core.context.audit import Action
from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.http.idempotency import run_once
from balcao.core.http.paging import Page
from balcao.core.http.responses import etag_of, require_match
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.hiring.departments.scope import find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import Job, JobSummary
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.lists import ListMeta
from balcao.employability.resume.overview import service as resumes
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import store
from balcao.employability.selection.applications.answers import check_answers
from balcao.employability.selection.applications.choices import Change, require_transition
from balcao.employability.selection.applications.contact import clean_email, clean_name, read_claims
from balcao.employability.selection.applications.filters import OwnFilters, require_uuid
from balcao.employability.selection.applications.records import Standing, StoredApplication, show, show_to
from balcao.employability.selection.applications.schemas import (
    Application,
    ApplicationBody,
    ApplicationChange,
    ApplicationHistory,
    Applications,
)
from balcao.employability.selection.applications.states import (
    CREATE_ANY,
    READ,
    SUBMISSION,
    ApplicationStatus,
    Event,
)
from balcao.employability.selection.emails import service as emails
from balcao.employability.selection.emails.kinds import Email

FIELDS = ["candidatura"]
MOST_WITHDRAWALS = 3
CITIZEN, STAFF = "cidadao", "equipe"


async def submit(call: Call, body: ApplicationBody) -> bytes:
    """Apply for a job, in the order of checks that the rules give, and return the application as JSON.

    Raises Invalid, Forbidden, NotFound, Conflict.
    """
    cpf, reached = _find_candidate(call, body.cpf)
    reached.require_reason()
    job_id = require_uuid("id_vaga", body.id_vaga)
    name, email = _find_contact(reached, body)
    scope = None if reached.is_owner else await find_scope(call)

    async def insert() -> Application:
        now = utc_now()
        await listings.share(connection, job_id)
        job = await listings.find_published(connection, job_id, now)
        if job is None or (scope is not None and not scope.reaches(job.id_orgao_parceiro)):
            raise NotFound("Não há vaga com este `id_vaga`.", code="job-unknown")
        _require_active(job)
        # From here on this person's applications come one after the other, and the resume stays as it is read.
        await profiles.open_resume(connection, cpf)
        await _require_free(connection, cpf, job_id)
        answers = check_answers(job.informacoes_complementares, body.respostas_info_complementares or [])
        id_ = UUID(new_id())
        event = await store.insert(
            connection,
            id_,
            cpf,
            name,
            email,
            job_id,
            CITIZEN if reached.is_owner else STAFF,
            [],
            answers,
            await resumes.collect(connection, cpf),
            _author(reached),
        )
        if event is None:
            raise _twice()
        if SUBMISSION.email is not None:
            await emails.enqueue(connection, SUBMISSION.email, [(id_, event)])
        await reached.platform.audit.record(connection, reached, "create", subject=cpf, fields=FIELDS)
        return await _read_shown(connection, reached, id_, now)

    async with call.platform.database.transaction() as connection:
        return await run_once(connection, reached, cpf, [body], insert)


async def list_of_person(call: Call, cpf: Cpf, filters: OwnFilters, page: Page) -> Applications:
    """Return a page of a person's applications, newest first; to staff those for jobs within their reach.

    A read by anybody but the person is recorded.
    """
    departments = None
    if not call.is_owner and (scope := await find_scope(call)).departments is not None:
        departments = sorted(scope.departments)
    async with call.reading(cpf, FIELDS) as connection:
        stored, counts = await store.list_of_person(connection, cpf, departments, filters, page)
        jobs = await listings.list_summaries(connection, {each.id_vaga for each in stored}, utc_now())
    by_status: dict[str, int] = msgspec.structs.asdict(counts)
    total = sum(by_status.values()) if filters.status is None else by_status[filters.status]
    return Applications([show(each, jobs[each.id_vaga][0]) for each in stored], ListMeta.of(page, total), counts)


async def read(call: Call, id_: UUID) -> Application:
    """Return an application, with what the caller may do with it; a read by staff is recorded.

    Raises NotFound alike for an unknown id and for an application out of the caller's reach.
    """
    reached, stored, job = await find(call, id_, READ)
    if not reached.is_owner:
        async with reached.reading(_person(stored), FIELDS):
            pass  # what the read leaves is written before the answer
    return _show(reached, stored, job)


async def list_history(call: Call, id_: UUID, page: Page) -> ApplicationHistory:
    """Return a page of what happened to an application, a withdrawn one too, newest first.

    Raises NotFound as `read` does. The candidate is not told who of the staff did something.
    """
    reached, stored, _ = await find(call, id_, READ, also_withdrawn=True)
    async with reached.reading(_person(stored), FIELDS) as connection:
        entries, total = await store.list_history(connection, id_, page)
    if reached.is_owner:
        entries = [msgspec.structs.replace(entry, por=None) for entry in entries]
    return ApplicationHistory(entries, ListMeta.of(page, total))


async def replace(call: Call, id_: UUID, body: ApplicationChange) -> Application:
    """Change contact and answers of an application that nobody has decided on, and return it as stored.

    Raises Invalid, PreconditionFailed, NotFound as `read` does, and Conflict in any other state.
    """
    reached, _, _ = await find(call, id_, CREATE_ANY)
    reached.require_reason()
    email, name = clean_email(body.email), None if reached.is_owner else clean_name(body.nome)
    async with call.platform.database.transaction() as connection:
        stored, job = await lock(connection, reached, id_)
        require_transition(Event.EDIT, stored, job)
        answers = stored.respostas
        if body.respostas_info_complementares is not None:
            answers = check_answers(job.informacoes_complementares, body.respostas_info_complementares)
        await store.replace(connection, id_, name or stored.nome, email or stored.email, answers, _author(reached))
        await _record(connection, reached, "update", stored)
        return await _read_shown(connection, reached, id_, utc_now())


async def withdraw(call: Call, id_: UUID) -> Message:
    """Withdraw the caller's own application.

    Raises NotFound, also for another person's, PreconditionFailed, and Conflict once it was decided on.
    """
    reached, _, _ = await find(call, id_, None)
    async with call.platform.database.transaction() as connection:
        stored, job = await lock(connection, reached, id_)
        row = require_transition(Event.WITHDRAW, stored, job)
        await apply(connection, reached, [(stored, Change(row, stored.id_etapa_atual))])
        await _record(connection, reached, "delete", stored)
    return Message("Candidatura retirada.")


async def lock(connection: Connection, call: Call, id_: UUID) -> tuple[StoredApplication, JobSummary]:
    """Return an application and its job, neither of which changes until the transaction ends.

    The job is locked first, as an edit of the job does that moves candidates. Raises NotFound for an application that
    is gone or withdrawn, and PreconditionFailed.
    """
    found = _require(await store.read(connection, id_))
    await listings.share(connection, found.id_vaga)
    stored = _require(await store.lock(connection, id_))
    job, _ = (await listings.list_summaries(connection, [stored.id_vaga], utc_now()))[stored.id_vaga]
    if call.if_match is not None:
        require_match(call.if_match, etag_of(msgspec.json.encode(_show(call, stored, job))))
    return stored, job


async def apply(
    connection: Connection,
    call: Call,
    moves: Sequence[tuple[Standing, Change]],
    reason: str | None = None,
) -> None:
    """Carry out rows of the table on locked applications: status, step, history and e-mails."""
    events = await store.move(connection, moves, _author(call), reason)
    for kind in Email:
        if told := [(before.id, events[before.id]) for before, change in moves if change.row.email is kind]:
            await emails.enqueue(connection, kind, told)


async def lock_live(connection: Connection, job: UUID, people: Iterable[Cpf]) -> list[Standing]:
    """Return where these people's applications for a job stand, none of which changes until the transaction ends."""
    return await store.lock_live(connection, job, people)


async def restore(
    call: Call,
    id_: UUID,
    cpf: Cpf,
    name: str,
    job_id: UUID,
    status: ApplicationStatus,
    place: int,
    made_at: datetime,
) -> None:
    """Store an application as it stood elsewhere, on the step of this place (0 for none); one that is there stays."""
    async with call.platform.database.transaction() as connection:
        if await store.read(connection, id_) is not None or await store.is_live(connection, cpf, job_id):
            return
        job = (await listings.list_summaries(connection, [job_id], made_at)).get(job_id)
        if job is None:
            return
        step = next((step.id for step in job[0].etapas if step.ordem == place), None)
        resume = await resumes.collect(connection, cpf)
        await store.restore(connection, id_, cpf, name, job_id, status, step, resume, made_at)


async def find(
    call: Call, id_: UUID, action: str | None, *, also_withdrawn: bool = False
) -> tuple[Call, StoredApplication, JobSummary]:
    """Return an application and its job, and the call by its right to it: the candidate's own, or the action's.

    Raises NotFound alike for an unknown id and for an application out of the caller's reach.
    """
    async with call.platform.database.connection() as connection:
        stored = _require(await store.read(connection, id_), also_withdrawn=also_withdrawn)
        job, department = (await listings.list_summaries(connection, [stored.id_vaga], utc_now()))[stored.id_vaga]
    cpf = _person(stored)
    if cpf == call.actor_cpf:
        return call.as_owner(), stored, job
    reached = call.with_right_to(cpf, action) if action is not None else None
    if reached is None or not (await find_scope(call)).reaches(department):
        raise _unknown()
    return reached, stored, job


async def _read_shown(connection: Connection, call: Call, id_: UUID, now: datetime) -> Application:
    stored = _require(await store.read(connection, id_))
    job, _ = (await listings.list_summaries(connection, [stored.id_vaga], now))[stored.id_vaga]
    return _show(call, stored, job)


def _show(call: Call, stored: StoredApplication, job: JobSummary) -> Application:
    return show_to(stored, job, is_candidate=call.is_owner, holds=call.holds)


def _find_candidate(call: Call, sent: str | None) -> tuple[Cpf, Call]:
    """Return who applies, and the call by its right to apply for them. Raises Forbidden, Invalid, Unauthenticated."""
    if sent is None or not sent.strip():
        return call.person, call.as_owner()
    cpf = Cpf.parse_claim(sent)
    if cpf is not None and cpf == call.actor_cpf:
        return cpf, call.as_owner()
    if not call.holds(CREATE_ANY):
        raise Forbidden("O campo `cpf` não é o de quem chama.", code="cpf-foreign")
    if cpf is None:
        raise Invalid("O campo `cpf` deve ser um CPF de 11 dígitos.", code="cpf-invalid")
    reached = call.with_right_to(cpf, CREATE_ANY)
    assert reached is not None
    return cpf, reached


def _find_contact(reached: Call, body: ApplicationBody) -> tuple[str | None, str | None]:
    if reached.is_owner:
        return read_claims(reached.identified_caller)
    return clean_name(body.nome), clean_email(body.email)


def _require_active(job: Job) -> None:
    """Raise Invalid for a job that takes no applications; the texts tell whether its limit has passed."""
    if job.status is JobStatus.EXPIRED:
        raise Invalid("O prazo de candidatura desta vaga terminou.", code="job-expired")
    if job.status is not JobStatus.ACTIVE:
        raise Invalid("Esta vaga não recebe candidaturas no momento.", code="job-not-active")


async def _require_free(connection: Connection, cpf: Cpf, job_id: UUID) -> None:
    if await store.is_live(connection, cpf, job_id):
        raise _twice()
    if await store.count_withdrawn(connection, cpf, job_id) >= MOST_WITHDRAWALS:
        text = f"A candidatura a esta vaga já foi retirada {MOST_WITHDRAWALS} vezes."
        raise Conflict(text, code="withdrawal-limit")


async def _record(connection: Connection, call: Call, action: Action, stored: StoredApplication) -> None:
    await call.platform.audit.record(connection, call, action, subject=_person(stored), fields=FIELDS)


def _person(stored: StoredApplication) -> Cpf:
    assert stored.cpf is not None
    return Cpf(stored.cpf)


def _author(call: Call) -> str | None:
    """Return the name of the member of staff who acts; None for the candidate."""
    return None if call.is_owner else call.author.name


def _require(stored: StoredApplication | None, *, also_withdrawn: bool = False) -> StoredApplication:
    """Return an application that lives. Raises NotFound for none, a withdrawn one and one without its person."""
    is_withdrawn = stored is not None and stored.status is ApplicationStatus.WITHDRAWN
    if stored is None or stored.cpf is None or (is_withdrawn and not also_withdrawn):
        raise _unknown()
    return stored


def _twice() -> Conflict:
    return Conflict("Já há uma candidatura desta pessoa a esta vaga.", code="application-exists")


def _unknown() -> NotFound:
    return NotFound("Não há candidatura com este `id`.", code="application-unknown")
