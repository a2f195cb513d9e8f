"""Applying for a job: what is checked, in which order, and what is stored (rules: employability 4.3 to 4.5, 5.1)."""

from collections.abc import Sequence
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.http.idempotency import run_once
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.ids import new_id
from balcao.employability.hiring.departments.scope import Scope, find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.resume.overview import service as resumes
from balcao.employability.resume.profiles import service as profiles
from balcao.employability.selection.applications import service, store
from balcao.employability.selection.applications.answers import check_answers
from balcao.employability.selection.applications.contact import Contact, clean_email, clean_name, read_claims
from balcao.employability.selection.applications.filters import require_uuid
from balcao.employability.selection.applications.schemas import Answer, Application, ApplicationBody
from balcao.employability.selection.applications.states import CREATE_ANY, SUBMISSION
from balcao.employability.selection.blocks import service as blocks
from balcao.employability.selection.eligibility import service as eligibility
from balcao.employability.selection.eligibility.service import Ineligible
from balcao.employability.selection.emails import service as emails
from balcao.employability.selection.people import service as people

MOST_WITHDRAWALS = 3
CITIZEN, STAFF = "cidadao", "equipe"


async def submit(call: Call, body: ApplicationBody) -> bytes:
    """Apply for a job, in the order of checks that the rules give, and return the application as JSON.

    A refusal by criteria leaves a block. Raises Invalid, Forbidden, NotFound, Conflict, and Unavailable where a
    criterion needs the registry, which is away.
    """
    cpf, reached = _find_candidate(call, body.cpf)
    reached.require_reason()
    job_id, sent = require_uuid("id_vaga", body.id_vaga), _read_contact(reached, body)
    scope = None if reached.is_owner else await find_scope(call)
    told = await _ask_registry(reached, cpf, job_id, sent)

    async def insert() -> Application:
        # The job stays as it is read until the commit: a freeze comes before this application or after it.
        await listings.share(connection, job_id)
        job = await _require_job(connection, job_id, scope)
        # From here on this person's applications come one after the other, and the resume stays as it is read.
        await profiles.open_resume(connection, cpf)
        await _require_free(connection, cpf, job_id)
        answers = check_answers(job.informacoes_complementares, body.respostas_info_complementares or [])
        failed = await _check_criteria(connection, reached, cpf, job, told)
        return await _insert(connection, reached, cpf, job_id, _complete(reached, sent, told), answers, failed, told)

    try:
        async with call.platform.database.transaction() as connection:
            return await run_once(connection, reached, cpf, [body], insert)
    except Ineligible as refusal:
        await blocks.record(reached, cpf, job_id, list(dict.fromkeys(each.criterio for each in refusal.failed)))
        raise


async def _ask_registry(call: Call, cpf: Cpf, job_id: UUID, sent: Contact) -> people.Told | None:
    """Ask what the job's criteria need, and for staff what they left out of the contact, before anything is locked."""
    if not call.is_owner and None in sent:
        return await people.ask(call, cpf)
    async with call.platform.database.connection() as connection:
        job = await listings.find_published(connection, job_id, utc_now())
    if job is None or job.status is not JobStatus.ACTIVE:
        return None
    return await eligibility.ask_registry(call, cpf, job)


async def _require_job(connection: Connection, job_id: UUID, scope: Scope | None) -> Job:
    """Return a job that takes applications, to staff one within their reach. Raises NotFound, Invalid."""
    job = await listings.find_published(connection, job_id, utc_now())
    if job is None or (scope is not None and not scope.reaches(job.id_orgao_parceiro)):
        raise NotFound("Não há vaga com este `id_vaga`.", code="job-unknown")
    _require_active(job)
    return job


async def _check_criteria(
    connection: Connection, call: Call, cpf: Cpf, job: Job, told: people.Told | None
) -> list[str]:
    """Return the criteria that a person fails whom staff register. Raises Ineligible for who applies by themselves."""
    if call.is_owner:
        accepted = await eligibility.check_terms(connection, call, cpf)
        if not accepted.atendido:
            raise Ineligible([accepted])
    failed = eligibility.list_failed(await eligibility.check(connection, call, cpf, job, told))
    if failed and call.is_owner:
        raise Ineligible(failed)
    return list(dict.fromkeys(each.criterio for each in failed))


async def _insert(
    connection: Connection,
    call: Call,
    cpf: Cpf,
    job_id: UUID,
    contact: Contact,
    answers: Sequence[Answer],
    failed: Sequence[str],
    told: people.Told | None,
) -> Application:
    id_ = UUID(new_id())
    origin = CITIZEN if call.is_owner else STAFF
    resume = await resumes.collect(connection, cpf)
    author = service.author_of(call)
    event = await store.insert(
        connection, id_, cpf, contact.name, contact.email, job_id, origin, failed, answers, resume, author
    )
    if event is None:
        raise _twice()
    if SUBMISSION.email is not None:
        await emails.enqueue(connection, SUBMISSION.email, [(id_, event)])
    await people.renew(connection, cpf, id_, told)
    await call.platform.audit.record(connection, call, "create", subject=cpf, fields=service.FIELDS)
    return await service.read_shown(connection, call, id_, utc_now())


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


def _read_contact(reached: Call, body: ApplicationBody) -> Contact:
    """Return how staff name the person; what a citizen sends counts for nothing. Raises Invalid."""
    return Contact() if reached.is_owner else Contact(clean_name(body.nome), clean_email(body.email))


def _complete(reached: Call, sent: Contact, told: people.Told | None) -> Contact:
    """Return what staff sent, else what the registry says, else what the person's own token says."""
    known = Contact() if told is None else Contact(told.record.nome, told.record.email)
    claimed = read_claims(reached.identified_caller) if reached.is_owner else Contact()
    return Contact(sent.name or known.name or claimed.name, sent.email or known.email or claimed.email)


def _require_active(job: Job) -> None:
    """Raise Invalid for a job that takes no applications; the texts tell whether its limit has passed."""
    if job.status is JobStatus.EXPIRED:
        raise Invalid("O prazo de candidatura desta vaga terminou.", code="job-expired")
    if job.status is not JobStatus.ACTIVE:
        raise Invalid("Esta vaga não recebe candidaturas no momento.", code="job-not-active")


async def _require_free(connection: Connection, cpf: Cpf, job_id: UUID) -> None:
    live, withdrawn = await store.count_earlier(connection, cpf, job_id)
    if live:
        raise _twice()
    if withdrawn >= MOST_WITHDRAWALS:
        text = f"A candidatura a esta vaga já foi retirada {MOST_WITHDRAWALS} vezes."
        raise Conflict(text, code="withdrawal-limit")


def _twice() -> Conflict:
    return Conflict("Já há uma candidatura desta pessoa a esta vaga.", code="application-exists")
