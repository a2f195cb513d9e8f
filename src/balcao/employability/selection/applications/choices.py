"""What a decision of staff does to an application, by where it stands (rules: employability 4.3)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias
from uuid import UUID

from balcao.core.errors import Conflict, Invalid
from balcao.employability.hiring.listings.schemas import JobSummary
from balcao.employability.hiring.listings.states import STATUS_NAMES as JOB_STATUS_NAMES
from balcao.employability.selection.applications.records import ApplicationPosition
from balcao.employability.selection.applications.states import (
    DECISIONS,
    EVENT_NAMES,
    NOT_PAUSED,
    STATUS_NAMES,
    ApplicationStatus,
    Event,
    Transition,
    find_transition,
    show_status,
)


@dataclass(frozen=True, slots=True)
class Change:
    """A row of the table, and the step on which the candidate stands then."""

    row: Transition
    step: UUID | None


class Move(NamedTuple):
    """An application as it stands, and what changes in it."""

    before: ApplicationPosition
    change: Change

    @property
    def status(self) -> ApplicationStatus:
        """Return the own status afterwards."""
        return self.change.row.target or self.before.status


# Returns None where nothing is to change; raises Conflict where the decision is not possible.
Choose: TypeAlias = Callable[[ApplicationPosition, JobSummary], Change | None]


def choose_status(status: ApplicationStatus) -> Choose:
    """Return the decision for a status; an application that has it already stays as it is."""

    def choose(position: ApplicationPosition, job: JobSummary) -> Change | None:
        if position.status is status and job.status in NOT_PAUSED:
            return None
        return Change(require_transition(DECISIONS[status].event, position, job), position.id_etapa_atual)

    return choose


def choose_step(step: UUID | None) -> Choose:
    """Return the decision for a step, or for none; a candidate who stands there already stays."""

    def choose(position: ApplicationPosition, job: JobSummary) -> Change | None:
        row = require_transition(Event.CLEAR_STEP if step is None else Event.SET_STEP, position, job)
        return None if position.id_etapa_atual == step else Change(row, step)

    return choose


def require_step(step: UUID | None, job: JobSummary, field: str) -> None:
    """Raise Invalid, naming the field, for a step that is none of the job's."""
    if step is not None and all(step != each.id for each in job.etapas):
        raise Invalid(f"O campo `{field}` não é uma etapa desta vaga.", code=f"{field}-invalid")


def require_transition(event: Event, position: ApplicationPosition, job: JobSummary) -> Transition:
    """Return the row of the table that the event takes. Raises Conflict where there is none."""
    row = find_transition(event, position.status, job.status, has_step=position.id_etapa_atual is not None)
    if row is None:
        status = show_status(position.status, job.status)
        text = (
            f"A candidatura está {STATUS_NAMES[status]} (`{status}`), e a vaga, {JOB_STATUS_NAMES[job.status]} "
            f"(`{job.status}`): não é possível {EVENT_NAMES[event]} agora."
        )
        raise Conflict(text, code="application-state")
    return row
