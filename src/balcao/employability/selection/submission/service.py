"""Checks, stores and changes applications for a job (rules: employability 4.3 to 4.5, 5.1)."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.access.caller import Caller
from balcao.core.context.audit import guard_audit_write
from balcao.core.context.call import Call
from balcao.core.context.idempotency import run_once
from balcao.core.database.pool import Connection
from balcao.core.errors import Forbidden, Invalid, NotFound, Unavailable
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.core.values.emails import find_domain
from balcao.core.values.ids import new_id
from balcao.employability.hiring.departments.scope import Scope, find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import Job
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.hiring.listings.store import find_published_job
from balcao.employability.resume.overview.schemas import Resume, StoredResume
from balcao.employability.resume.overview.store import read_stored_resume
from balcao.employability.selection.applications import service as applications
from balcao.employability.selection.applications.schemas import (
    Answer,
    Application,
    ApplicationDetail,
    StoredApplication,
    Submission,
)
from balcao.employability.selection.applications.states import CREATE_ANY, SUBMISSION, Event, require_transition
from balcao.employability.selection.applications.store import insert_application
from balcao.employability.selection.blocks import service as blocks
from balcao.employability.selection.eligibility import service as eligibility
from balcao.employability.selection.eligibility.criteria import may_need_registry
from balcao.employability.selection.eligibility.service import Ineligible
from balcao.employability.selection.emails.kinds import JOB as EMAIL_JOB
from balcao.employability.selection.people import service as people
from balcao.employability.selection.submission import store
from balcao.employability.selection.submission.answers import check_answers
from balcao.employability.selection.submission.schemas import (
    LONGEST_EMAIL,
    LONGEST_NAME,
    AnswerBody,
    ApplicationBody,
    ApplicationChange,
)
from balcao.employability.selection.submission.store import PriorApplications
from balcao.employability.texts import clean_optional_line, parse_uuid_field

MOST_WITHDRAWALS = 3
CITIZEN, STAFF = "cidadao", "equipe"
# The number of attempts to store an application. An attempt fails only if the job, the resume or the person's
# applications changed since they were read.
MOST_TRIES = 10
RETRY_AFTER_SECONDS = 1


class Contact(NamedTuple):
    """A person's name and e-mail address. An unknown value is None."""

    name: str | None = None
    email: str | None = None


class _ApplicationRequest(NamedTuple):
    """An application to check and store, with the job as it was first read and the person's registry record."""

    call: Call
    cpf: Cpf
    job_id: UUID
    scope: Scope | None
    answers: Sequence[AnswerBody]
    contact: Contact
    job: Job | None
    person: people.PersonLookup | None


async def submit_application(call: Call, body: ApplicationBody) -> bytes:
    """Apply for a job and return the application as JSON. The rules define the order of the checks.

    If the person does not meet the criteria, a block is stored.

    Raises Invalid if the body is not valid or the person may not apply for the job, Forbidden if the caller may not
    apply for this person, NotFound if the job is unknown or out of reach, and Conflict if the idempotency key was used
    for another request. Raises Unavailable if a criterion needs the registry's record and the record is not available,
    or if the job or the resume keeps changing.
    """
    cpf, reached = _find_candidate(call, body.cpf)
    reached.require_reason()
    job_id = parse_uuid_field("id_vaga", body.id_vaga)
    # A citizen's name and e-mail come from the registry or the token, not from the body.
    sent = Contact() if reached.is_owner else Contact(clean_candidate_name(body.nome), clean_email(body.email))
    scope = None if reached.is_owner else await find_scope(call)
    job, person = await _ask_registry(reached, cpf, job_id, sent)
    request = _ApplicationRequest(
        reached, cpf, job_id, scope, body.respostas_info_complementares or [], sent, job, person
    )
    database = call.platform.database
    try:
        # Without an idempotency key, a single statement stores the application, so no transaction is needed.
        async with database.connection() if call.idempotency_key is None else database.transaction() as connection:
            return await run_once(connection, reached, cpf, [body], lambda: _apply(connection, request))
    except Ineligible as refusal:
        await blocks.record_block(reached, cpf, job_id, list(dict.fromkeys(each.criterio for each in refusal.failed)))
        raise


async def replace_application(call: Call, id_: UUID, body: ApplicationChange) -> ApplicationDetail:
    """Change the contact and answers of an application, and return the stored application.

    Raises Invalid if the body is not valid, PreconditionFailed if `If-Match` does not match, NotFound if the
    application is unknown or the caller may not change it, and Conflict unless the application has no decision and no
    step and its job is active.
    """
    scope = await applications.find_changeable_scope(call, CREATE_ANY)
    async with call.platform.database.transaction() as connection:
        reached, stored, job = await applications.lock_application(connection, call, id_, CREATE_ANY, scope)
        reached.require_reason()
        email, name = clean_email(body.email), None if reached.is_owner else clean_candidate_name(body.nome)
        await applications.require_current(connection, reached, stored, job)
        require_transition(Event.EDIT, stored, job)
        answers = stored.respostas
        if body.respostas_info_complementares is not None:
            answers = check_answers(job.informacoes_complementares, body.respostas_info_complementares)
        changed = msgspec.structs.replace(
            stored, nome=name or stored.nome, email=email or stored.email, respostas=answers
        )
        return await applications.update_application(connection, reached, changed, job)


async def _apply(connection: Connection, request: _ApplicationRequest) -> Application:
    """Check and store an application. If the data on which the checks are based has changed, read and check again.

    Raises Unavailable if the data has changed in all of MOST_TRIES attempts.
    """
    read = request.job
    for _ in range(MOST_TRIES):
        job = _require_job(read or await find_published_job(connection, request.job_id, utc_now()), request.scope)
        read = None
        earlier = await store.read_earlier_applications(connection, request.cpf, request.job_id)
        _require_free(earlier)
        answers = check_answers(job.informacoes_complementares, request.answers)
        resume = await read_stored_resume(connection, request.cpf)
        failed = await _check_criteria(connection, request, job, earlier, resume.content)
        submission = _prepare(request, job, answers, failed, resume)
        with guard_audit_write():
            instants = await insert_application(connection, submission)
        if instants is not None:
            await people.save_person_copy(connection, request.cpf, request.person)
            created_at, updated_at = instants
            stored = msgspec.structs.replace(submission.application, created_at=created_at, updated_at=updated_at)
            return await applications.describe_application(
                connection, request.call, stored, listings.summarise_job(job)
            )
    text = "A vaga ou o currículo muda agora mesmo. Tente de novo em instantes."
    raise Unavailable(text, code="application-changing", retry_after=RETRY_AFTER_SECONDS)


async def _ask_registry(
    call: Call, cpf: Cpf, job_id: UUID, sent: Contact
) -> tuple[Job | None, people.PersonLookup | None]:
    """Before anything is locked, read a published job, and the person's registry record if the criteria may need it.

    For staff, the registry is also read if they omitted the name or the e-mail.
    """
    async with call.platform.database.connection() as connection:
        job = await find_published_job(connection, job_id, utc_now())
    is_needed = job is not None and job.status is JobStatus.ACTIVE and may_need_registry(job)
    is_incomplete = not call.is_owner and None in sent
    return job, await people.look_up_person(call, cpf) if is_needed or is_incomplete else None


def _require_job(job: Job | None, scope: Scope | None) -> Job:
    """Return the job if it accepts applications and, for staff, is within their reach.

    Raises NotFound if the job is unknown or out of reach. Raises Invalid if it does not accept applications, with a
    separate message for an expired job.
    """
    if job is None or (scope is not None and not scope.reaches(job.id_orgao_parceiro)):
        raise NotFound("Não há vaga com este `id_vaga`.", code="job-unknown")
    if job.status is JobStatus.EXPIRED:
        raise Invalid("O prazo de candidatura desta vaga terminou.", code="job-expired")
    if job.status is not JobStatus.ACTIVE:
        raise Invalid("Esta vaga não recebe candidaturas no momento.", code="job-not-active")
    return job


async def _check_criteria(
    connection: Connection, request: _ApplicationRequest, job: Job, earlier: PriorApplications, resume: Resume
) -> list[str]:
    """Return the codes of the criteria that the person does not meet.

    Staff may apply for the person although criteria are not met.

    Raises Ineligible if a citizen applies and has not accepted the terms or does not meet a criterion.
    """
    call = request.call
    if call.is_owner and not (accepted := eligibility.check_terms(call, earlier.terms)).atendido:
        raise Ineligible([accepted])
    criteria = await eligibility.check_candidate(connection, call, resume, job, request.person)
    failed = [each for each in criteria if not each.atendido]
    if failed and call.is_owner:
        raise Ineligible(failed)
    return list(dict.fromkeys(each.criterio for each in failed))


def _prepare(
    request: _ApplicationRequest, job: Job, answers: list[Answer], failed: Sequence[str], resume: StoredResume
) -> Submission:
    assert SUBMISSION.target is not None
    assert SUBMISSION.email is not None
    call, now, id_ = request.call, utc_now(), UUID(new_id())
    # Order of precedence: the values that staff sent, the registry record, the person's own token.
    sent, person = request.contact, request.person
    known = Contact() if person is None else Contact(person.record.nome, person.record.email)
    claimed = read_contact_claims(call.identified_caller) if call.is_owner else Contact()
    made = StoredApplication(
        id=id_,
        cpf=request.cpf.digits,
        nome=sent.name or known.name or claimed.name,
        email=sent.email or known.email or claimed.email,
        id_vaga=job.id,
        status=SUBMISSION.target,
        id_etapa_atual=None,
        respostas=answers,
        curriculo_snapshot=resume.content,
        created_at=now,
        updated_at=now,
    )
    return Submission(
        made,
        origin=CITIZEN if call.is_owner else STAFF,
        failed=failed,
        author=applications.name_author(call),
        job_updated_at=job.updated_at,
        resume_version=resume.version,
        email_job=EMAIL_JOB,
        email_kind=SUBMISSION.email,
        refresh_job=people.REFRESH_ONE,
        refresh=people.describe_refresh(id_, person),
        trail=call.platform.audit.encode_event(call, "create", subject=request.cpf, fields=applications.FIELDS),
    )


def _find_candidate(call: Call, sent: str | None) -> tuple[Cpf, Call]:
    """Return the candidate's CPF, and the call with the caller's right to apply for this person.

    Raises Unauthenticated if neither the body nor the token has a CPF, Invalid if staff send an invalid CPF, and
    Forbidden if the caller may not apply for this person.
    """
    cpf = Cpf.parse_claim(sent) if sent and sent.strip() else call.person
    if cpf is None and call.holds(CREATE_ANY):
        raise Invalid("O campo `cpf` deve ser um CPF de 11 dígitos.", code="cpf-invalid")
    reached = None if cpf is None else call.with_right_to(cpf, CREATE_ANY)
    if cpf is None or reached is None:
        raise Forbidden("O campo `cpf` não é o de quem chama.", code="cpf-foreign")
    return cpf, reached


def _require_free(earlier: PriorApplications) -> None:
    """Raise Invalid if the person may not apply again.

    The error is Invalid and not Conflict, because the citizen portal shows the message only for status 400.
    """
    if earlier.live:
        text = "Já há uma candidatura desta pessoa a esta vaga: acompanhe-a em Minhas candidaturas."
        raise Invalid(text, code="application-exists")
    if earlier.withdrawn >= MOST_WITHDRAWALS:
        text = f"A candidatura a esta vaga já foi retirada {MOST_WITHDRAWALS} vezes, e não pode ser feita de novo."
        raise Invalid(text, code="withdrawal-limit")


def clean_candidate_name(text: str | None) -> str | None:
    """Clean a name for storage. Return None if it is absent or blank. Raises Invalid if it is not valid."""
    return clean_optional_line("nome", text, LONGEST_NAME)


def clean_email(text: str | None) -> str | None:
    """Clean an e-mail address for storage. Return None if it is absent or blank.

    Raises Invalid if the string is not an e-mail address.
    """
    address = clean_optional_line("email", text, LONGEST_EMAIL)
    if address is not None and not _is_address(address):
        raise Invalid("O campo `email` não tem a forma de um endereço.", code="email-invalid")
    return address


def read_contact_claims(caller: Caller) -> Contact:
    """Return the name and e-mail address from the token.

    A name that is too long is cut, and an invalid address becomes None.
    """
    name, email = (caller.name or "").strip()[:LONGEST_NAME], (caller.email or "").strip()
    return Contact(name or None, email if len(email) <= LONGEST_EMAIL and _is_address(email) else None)


def _is_address(text: str) -> bool:
    # A mail system could interpret an address that starts with `-` or `|` as an option or a command.
    return not text.startswith(("-", "|")) and find_domain(text) is not None
