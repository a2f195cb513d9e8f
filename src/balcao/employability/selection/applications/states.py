"""The states of an application. Code, API descriptions and tests share one table (rules: employability 4.3).

The database stores an application's own status. While the job is frozen or closed, responses show the job's state
instead.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple
from uuid import UUID

import msgspec

from balcao.core.errors import Conflict, Invalid
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.hiring.listings.states import STATUS_NAMES as JOB_STATUS_NAMES
from balcao.employability.hiring.listings.states import JobStatus
from balcao.employability.selection.emails.kinds import Email

DECIDE = "job_application:decide"
CREATE_ANY = "job_application:create_any"
READ = "job_application:read"
READ_SENSITIVE = "job_application:read_sensitive"


class ApplicationStatus(StrEnum):
    """The status of an application. `WITHDRAWN` appears only in the history and in exports, never in lists."""

    SENT = "candidatura_enviada"
    APPROVED = "aprovada"
    REJECTED = "reprovada"
    FROZEN = "vaga_congelada"
    DISCONTINUED = "vaga_descontinuada"
    WITHDRAWN = "retirada"


class Event(StrEnum):
    SUBMIT = "submit"
    EDIT = "edited"
    WITHDRAW = "withdraw"
    APPROVE = "approve"
    REJECT = "reject"
    REOPEN = "reopen"
    FREEZE = "freeze"
    DISCONTINUE = "discontinue"
    SET_STEP = "set-step"
    CLEAR_STEP = "clear-step"
    # The SQL function `employability.leave_steps` writes this event, in the transaction that removes the step from the
    # job.
    STEP_REMOVED = "step-removed"


# The Portuguese names that messages use. The enums contain the wire values.
STATUS_NAMES = {
    ApplicationStatus.SENT: "enviada",
    ApplicationStatus.APPROVED: "aprovada",
    ApplicationStatus.REJECTED: "reprovada",
    ApplicationStatus.FROZEN: "congelada",
    ApplicationStatus.DISCONTINUED: "descontinuada",
}
EVENT_NAMES = {
    Event.EDIT: "alterá-la",
    Event.WITHDRAW: "retirá-la",
    Event.APPROVE: "aprová-la",
    Event.REJECT: "reprová-la",
    Event.REOPEN: "voltar a analisá-la",
    Event.FREEZE: "congelá-la",
    Event.DISCONTINUE: "descontinuá-la",
    Event.SET_STEP: "mudar a etapa",
    Event.CLEAR_STEP: "tirá-la da etapa",
}
SENT, APPROVED, REJECTED = ApplicationStatus.SENT, ApplicationStatus.APPROVED, ApplicationStatus.REJECTED
FROZEN, DISCONTINUED = ApplicationStatus.FROZEN, ApplicationStatus.DISCONTINUED
# The statuses that callers see and can filter by, in the order of `resumo`.
SHOWN = (SENT, APPROVED, REJECTED, FROZEN, DISCONTINUED)
# The states of a job that responses show instead of an application's own status.
OVERLAYS = {JobStatus.FROZEN: FROZEN, JobStatus.DISCONTINUED: DISCONTINUED}
ACTIVE = frozenset({JobStatus.ACTIVE})
NOT_PAUSED = frozenset(JobStatus) - frozenset(OVERLAYS)
ANY_STATE = frozenset(JobStatus)


@dataclass(frozen=True)
class Transition:
    """A row of the table: an event, and the states of the application and its job that allow the event.

    The application's own status must be in `sources`, and the job's shown state in `jobs`. With `by_candidate`, the
    candidate may cause the event. Staff may cause it if they hold `action`. `target` is the new own status, or None if
    the status does not change. With `before_steps`, the candidate must not be at a step. `email` is the e-mail to the
    candidate.
    """

    event: Event
    sources: frozenset[ApplicationStatus]
    jobs: frozenset[JobStatus]
    target: ApplicationStatus | None
    by_candidate: bool = False
    action: str | None = None
    before_steps: bool = False
    email: Email | None = None

    def describe(self) -> str:
        """Return a Portuguese sentence for the description of an operation."""
        sources = " ou ".join(f"`{status}`" for status in SHOWN if status in self.sources)
        moved = f" para `{self.target}`" if self.target in SHOWN else ""
        steps = ", sem etapa definida" if self.before_steps else ""
        job = {ACTIVE: " e a vaga ativa", NOT_PAUSED: " e a vaga nem congelada nem encerrada"}.get(self.jobs, "")
        return f"Vale para uma candidatura de situação própria {sources}{moved}{steps}{job}; senão responde 409."


class ApplicationPosition(msgspec.Struct, frozen=True, kw_only=True):
    """An application's own status and its step."""

    id: UUID
    cpf: str | None
    status: ApplicationStatus
    id_etapa_atual: UUID | None


@dataclass(frozen=True, slots=True)
class Change:
    """A change to an application: a row of the table, and the step at which the candidate is after the change."""

    row: Transition
    step: UUID | None


class Move(NamedTuple):
    """An application's current status and step, and a change to them."""

    before: ApplicationPosition
    change: Change

    @property
    def status(self) -> ApplicationStatus:
        """Return the application's own status after the change."""
        return self.change.row.target or self.before.status


def _decide(
    event: Event, target: ApplicationStatus, *sources: ApplicationStatus, email: Email | None = None
) -> Transition:
    return Transition(event, frozenset(sources), NOT_PAUSED, target, action=DECIDE, email=email)


TABLE = (
    Transition(Event.SUBMIT, frozenset(), ACTIVE, SENT, by_candidate=True, action=CREATE_ANY, email=Email.RECEIVED),
    Transition(Event.EDIT, frozenset({SENT}), ACTIVE, None, by_candidate=True, action=CREATE_ANY, before_steps=True),
    Transition(Event.WITHDRAW, frozenset({SENT}), ANY_STATE, ApplicationStatus.WITHDRAWN, by_candidate=True),
    _decide(Event.APPROVE, APPROVED, SENT, REJECTED, FROZEN, email=Email.APPROVED),
    _decide(Event.REJECT, REJECTED, SENT, APPROVED, FROZEN, email=Email.REJECTED),
    _decide(Event.REOPEN, SENT, APPROVED, REJECTED, FROZEN),
    _decide(Event.FREEZE, FROZEN, SENT, APPROVED, REJECTED),
    _decide(Event.DISCONTINUE, DISCONTINUED, SENT, APPROVED, REJECTED, FROZEN),
    Transition(Event.SET_STEP, frozenset({SENT}), NOT_PAUSED, None, action=DECIDE, email=Email.NEXT_STEP),
    Transition(Event.SET_STEP, frozenset({APPROVED}), NOT_PAUSED, None, action=DECIDE),
    Transition(Event.CLEAR_STEP, frozenset({SENT, APPROVED}), NOT_PAUSED, None, action=DECIDE),
)
# The transition of each status that staff can set.
DECISIONS = {row.target: row for row in TABLE if row.action == DECIDE and row.target is not None}
SUBMISSION = TABLE[0]


def describe_events(*events: Event) -> str:
    """Return Portuguese sentences about these events, for the description of an operation."""
    return " ".join(row.describe() for row in TABLE if row.event in events)


def require_status(text: str) -> ApplicationStatus:
    """Parse a status that staff sent. Raises Invalid for a value outside SHOWN."""
    if text not in SHOWN:
        raise Invalid(f"O campo `status` aceita {', '.join(SHOWN)}.", code="status-invalid")
    return ApplicationStatus(text)


def show_application_status(own: ApplicationStatus, job: JobStatus) -> ApplicationStatus:
    """Return the status that callers see, given the state of the job that they see.

    A deleted job counts as discontinued.
    """
    return own if own is ApplicationStatus.WITHDRAWN else OVERLAYS.get(job, own)


def find_application_transition(
    event: Event, own: ApplicationStatus, job: JobStatus, *, has_step: bool
) -> Transition | None:
    """Return the transition for the event in this state, or None if the state does not allow the event."""
    return next((row for row in TABLE if row.event is event and _is_open(row, own, job, has_step=has_step)), None)


def _is_open(row: Transition, own: ApplicationStatus, job: JobStatus, *, has_step: bool) -> bool:
    return own in row.sources and job in row.jobs and not (row.before_steps and has_step)


def require_transition(event: Event, position: ApplicationPosition, job: JobSummary) -> Transition:
    """Return the transition for the event. Raises Conflict if the state does not allow the event."""
    row = find_application_transition(event, position.status, job.status, has_step=position.id_etapa_atual is not None)
    if row is None:
        status = show_application_status(position.status, job.status)
        text = (
            f"A candidatura está {STATUS_NAMES[status]} (`{status}`), e a vaga, {JOB_STATUS_NAMES[job.status]} "
            f"(`{job.status}`): não é possível {EVENT_NAMES[event]} agora."
        )
        raise Conflict(text, code="application-state")
    return row


def list_open_events(
    own: ApplicationStatus, job: JobStatus, *, has_step: bool, is_candidate: bool, holds: Callable[[str], bool]
) -> list[str]:
    """Return the events that the caller can cause now, in the order of the table."""
    open_ = {
        row.event.value: None
        for row in TABLE
        if _is_open(row, own, job, has_step=has_step)
        and ((is_candidate and row.by_candidate) or (row.action is not None and holds(row.action)))
    }
    return list(open_)
