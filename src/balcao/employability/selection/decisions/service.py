"""Decisions of staff on one application or on several (rules: employability 2.7, 4.3)."""

from collections.abc import Callable
from typing import TypeAlias
from uuid import UUID

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection
from balcao.core.errors import Conflict, Forbidden, Invalid, NotFound
from balcao.core.values.clock import utc_now
from balcao.core.values.cpf import Cpf
from balcao.employability.hiring.departments.scope import Scope, find_scope
from balcao.employability.hiring.listings import service as listings
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.hiring.listings.store import lock_job_for_share
from balcao.employability.schemas import Message
from balcao.employability.selection.applications import service as applications
from balcao.employability.selection.applications.states import (
    DECIDE,
    DECISIONS,
    NOT_PAUSED,
    ApplicationPosition,
    ApplicationStatus,
    Change,
    Event,
    Move,
    require_status,
    require_transition,
    show_application_status,
)
from balcao.employability.selection.applications.store import lock_live_applications
from balcao.employability.selection.decisions.schemas import (
    BulkFailure,
    BulkResult,
    BulkStatusBody,
    BulkStepBody,
    parse_people,
    parse_step,
)
from balcao.employability.texts import parse_uuid_field

DONE = {
    ApplicationStatus.APPROVED: "Candidatura aprovada.",
    ApplicationStatus.REJECTED: "Candidatura reprovada.",
}
# A function that returns the change to an application, or None if nothing changes. Raises Conflict if the state of the
# application or its job does not allow the decision, and Invalid if the job does not have the step.
Choose: TypeAlias = Callable[[ApplicationPosition, JobSummary], Change | None]


async def set_status(call: Call, id_: UUID, status: ApplicationStatus, reason: str | None = None) -> Message:
    """Set the status of an application.

    Raises Forbidden for the caller's own application, NotFound if the application is unknown or out of reach,
    PreconditionFailed if `If-Match` does not match, and Conflict if the state of the application or its job does not
    allow the status.
    """
    await _decide(call, id_, choose_status(status), reason)
    return Message(DONE.get(status, "Situação da candidatura alterada."))


async def set_step(call: Call, id_: UUID, step: UUID | None) -> Message:
    """Move a candidate to a step of the job, or to no step.

    Raises Invalid if the job does not have the step, Forbidden for the caller's own application, NotFound if the
    application is unknown or out of reach, PreconditionFailed if `If-Match` does not match, and Conflict if the state
    of the application or its job does not allow the move.
    """
    await _decide(call, id_, choose_step(step))
    return Message("Candidatura sem etapa." if step is None else "Etapa da candidatura alterada.")


async def set_status_of_many(call: Call, body: BulkStatusBody) -> BulkResult:
    """Set the status of several applications for a job. Applications that cannot change are reported as failures.

    Raises Invalid if the body is not valid, and NotFound if the job is unknown or out of reach.
    """
    people, job_id = parse_people(body.cpfs), parse_uuid_field("vaga_id", body.vaga_id)
    choose = choose_status(require_status(body.status))
    scope = await find_scope(call)
    async with call.platform.database.transaction() as connection:
        job = await _lock_job(connection, scope, job_id)
        positions = await lock_live_applications(connection, job_id, people)
        return await _change(connection, call, job, people, positions, choose)


async def set_step_of_many(call: Call, body: BulkStepBody) -> BulkResult:
    """Move candidates for a job to another step or to no step. They must all be at the same step.

    Raises Invalid if the body is not valid or the job does not have the step, NotFound if the job is unknown or out of
    reach, and Conflict if the candidates are at different steps. After an exception, no application has changed.
    """
    people, job_id = parse_people(body.cpfs), parse_uuid_field("vaga_id", body.vaga_id)
    step = parse_step("id_etapa", body.id_etapa)
    scope = await find_scope(call)
    async with call.platform.database.transaction() as connection:
        job = await _lock_job(connection, scope, job_id)
        require_step(step, job, "id_etapa")
        positions = await lock_live_applications(connection, job_id, people)
        if len({position.id_etapa_atual for position in positions}) > 1:
            text = "As candidaturas não estão todas na mesma etapa: nada foi alterado."
            raise Conflict(text, code="steps-differ")
        return await _change(connection, call, job, people, positions, choose_step(step))


def choose_status(status: ApplicationStatus) -> Choose:
    """Return the decision that sets this status. An application that already shows the status does not change."""

    def choose(position: ApplicationPosition, job: JobSummary) -> Change | None:
        if position.status is status and job.status in NOT_PAUSED:
            return None
        return Change(require_transition(DECISIONS[status].event, position, job), position.id_etapa_atual)

    return choose


def choose_step(step: UUID | None) -> Choose:
    """Return the decision that moves a candidate to this step, or to no step.

    A candidate who is already there does not move.
    """

    def choose(position: ApplicationPosition, job: JobSummary) -> Change | None:
        require_step(step, job, "id_etapa_atual")
        row = require_transition(Event.CLEAR_STEP if step is None else Event.SET_STEP, position, job)
        return None if position.id_etapa_atual == step else Change(row, step)

    return choose


def require_step(step: UUID | None, job: JobSummary, field: str) -> None:
    """Raise Invalid, which names the field, if the job does not have the step. None is always valid."""
    if step is not None and all(step != each.id for each in job.etapas):
        raise Invalid(f"O campo `{field}` não é uma etapa desta vaga.", code=f"{field}-invalid")


async def _decide(call: Call, id_: UUID, choose: Choose, reason: str | None = None) -> None:
    scope = await applications.find_changeable_scope(call, DECIDE)
    async with call.platform.database.transaction() as connection:
        reached, stored, job = await applications.lock_application(connection, call, id_, DECIDE, scope)
        if reached.is_owner:
            raise Forbidden("Ninguém decide sobre a própria candidatura.", code="own-application")
        await applications.require_current(connection, reached, stored, job)
        if change := choose(stored, job):
            await _apply(connection, reached, [Move(stored, change)], reason)


async def _lock_job(connection: Connection, scope: Scope, id_: UUID) -> JobSummary:
    """Lock a job until the transaction ends, and return it. Raises NotFound if it is unknown or not in the scope."""
    await lock_job_for_share(connection, id_)
    job, department = (await listings.list_job_summaries(connection, [id_], utc_now())).get(id_, (None, None))
    if job is None or not scope.reaches(department):
        raise NotFound("Não há vaga com este `vaga_id`.", code="job-unknown")
    return job


async def _change(
    connection: Connection,
    call: Call,
    job: JobSummary,
    people: list[Cpf],
    positions: list[ApplicationPosition],
    choose: Choose,
) -> BulkResult:
    """Change the applications that can change, and report the other people as failures.

    An application that already has the requested state counts as changed, so a repeated call gets the same response.
    """
    found = {position.cpf: position for position in positions}
    moves: list[Move] = []
    failures: list[BulkFailure] = []
    for cpf in people:
        position = found.get(cpf.digits)
        if position is None:
            failures.append(BulkFailure(cpf.digits, "application-unknown", None))
            continue
        status = show_application_status(position.status, job.status)
        if cpf == call.actor_cpf:
            failures.append(BulkFailure(cpf.digits, "own-application", status))
            continue
        try:
            if change := choose(position, job):
                moves.append(Move(position, change))
        except Conflict:
            failures.append(BulkFailure(cpf.digits, "application-state", status))
    if moves:
        await _apply(connection, call, moves, None)
    return BulkResult.of(len(people), failures)


async def _apply(connection: Connection, call: Call, moves: list[Move], reason: str | None) -> None:
    await applications.move_applications(connection, call, moves, reason)
    people = [Cpf(position.cpf) for position, _ in moves if position.cpf is not None]
    await call.platform.audit.record_each(connection, call, "update", people, fields=applications.FIELDS)
