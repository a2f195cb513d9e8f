"""The states of a job.

Code, API descriptions and tests share one table of transitions (rules: employability 4.1, 4.6).
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class JobStatus(StrEnum):
    """The status of a job that callers see. `EXPIRED` is never stored.

    It replaces `ACTIVE` once `data_limite` has passed.
    """

    EDITING = "em_edicao"
    APPROVAL = "em_aprovacao"
    ACTIVE = "publicado_ativo"
    EXPIRED = "publicado_expirado"
    FROZEN = "vaga_congelada"
    DISCONTINUED = "vaga_descontinuada"


class Event(StrEnum):
    CREATE = "create"
    EDIT = "edited"
    SEND_TO_APPROVAL = "send-to-approval"
    SEND_TO_DRAFT = "send-to-draft"
    PUBLISH = "publish"
    FREEZE = "freeze"
    UNFREEZE = "unfreeze"
    DISCONTINUE = "discontinue"
    REACTIVATE = "reactivate"
    DELETE = "delete"


# The Portuguese names that messages use. The enums contain the wire values.
STATUS_NAMES = {
    JobStatus.EDITING: "em edição",
    JobStatus.APPROVAL: "em aprovação",
    JobStatus.ACTIVE: "publicada",
    JobStatus.EXPIRED: "com o prazo encerrado",
    JobStatus.FROZEN: "congelada",
    JobStatus.DISCONTINUED: "descontinuada",
}
EVENT_NAMES = {
    Event.SEND_TO_APPROVAL: "enviar para aprovação",
    Event.SEND_TO_DRAFT: "devolver para edição",
    Event.PUBLISH: "publicar",
    Event.FREEZE: "congelar",
    Event.UNFREEZE: "descongelar",
    Event.DISCONTINUE: "descontinuar",
    Event.REACTIVATE: "reativar",
}
# The events that can be applied right after a job's creation, by their value in the query string.
FIRST_EVENTS = {"enviar_para_aprovacao": Event.SEND_TO_APPROVAL, "publicar": Event.PUBLISH}
DRAFTS = frozenset({JobStatus.EDITING, JobStatus.APPROVAL})
PUBLISHED = frozenset(JobStatus) - DRAFTS


@dataclass(frozen=True)
class Transition:
    """A row of the table: an event, and the caller's actions and the job's states that allow it.

    The caller needs one of the `actions`, and the job's shown status must be in `sources`.

    `target` is the status to store, or None if the status does not change. If `is_checked`, the job must be complete,
    with a deadline in the future. `summary` is the operation's summary, and `done` is its success message.
    """

    event: Event
    sources: frozenset[JobStatus]
    actions: tuple[str, ...]
    target: JobStatus | None
    summary: str
    done: str
    is_checked: bool = False

    def describe(self) -> str:
        """Return the operation's description in Portuguese."""
        sources = " ou ".join(f"`{status}`" for status in JobStatus if status in self.sources)
        actions = " ou ".join(f"`{name}`" for name in self.actions)
        checked = " Todos os campos da publicação precisam estar preenchidos (400)." if self.is_checked else ""
        expired = " ou, passada a `data_limite`, `publicado_expirado`" if self.target is JobStatus.ACTIVE else ""
        return (
            f"Leva uma vaga de {sources} para `{self.target}`{expired}. Exige a ação {actions}.{checked} Em outra "
            "situação responde 409, com as mudanças possíveis."
        )


TABLE = (
    Transition(Event.CREATE, frozenset(), ("job_listing:create",), JobStatus.EDITING, "Cria uma vaga", "Vaga criada."),
    Transition(Event.EDIT, DRAFTS, ("job_listing:update",), None, "Altera uma vaga", "Vaga alterada."),
    Transition(Event.EDIT, PUBLISHED, ("job_listing:update_published",), None, "Altera uma vaga", "Vaga alterada."),
    Transition(
        Event.SEND_TO_APPROVAL,
        frozenset({JobStatus.EDITING}),
        ("job_listing:submit",),
        JobStatus.APPROVAL,
        "Envia uma vaga para aprovação",
        "Vaga enviada para aprovação.",
        is_checked=True,
    ),
    Transition(
        Event.SEND_TO_DRAFT,
        frozenset({JobStatus.APPROVAL}),
        ("job_listing:submit", "job_listing:publish"),
        JobStatus.EDITING,
        "Devolve uma vaga para edição",
        "Vaga devolvida para edição.",
    ),
    Transition(
        Event.PUBLISH,
        DRAFTS,
        ("job_listing:publish",),
        JobStatus.ACTIVE,
        "Publica uma vaga",
        "Vaga publicada.",
        is_checked=True,
    ),
    Transition(
        Event.FREEZE,
        frozenset({JobStatus.ACTIVE}),
        ("job_listing:pause",),
        JobStatus.FROZEN,
        "Congela uma vaga",
        "Vaga congelada.",
    ),
    Transition(
        Event.UNFREEZE,
        frozenset({JobStatus.FROZEN}),
        ("job_listing:pause",),
        JobStatus.ACTIVE,
        "Descongela uma vaga",
        "Vaga descongelada.",
    ),
    Transition(
        Event.DISCONTINUE,
        frozenset({JobStatus.ACTIVE, JobStatus.EXPIRED, JobStatus.FROZEN}),
        ("job_listing:close",),
        JobStatus.DISCONTINUED,
        "Descontinua uma vaga",
        "Vaga descontinuada.",
    ),
    Transition(
        Event.REACTIVATE,
        frozenset({JobStatus.DISCONTINUED}),
        ("job_listing:close",),
        JobStatus.ACTIVE,
        "Reativa uma vaga",
        "Vaga reativada.",
    ),
    Transition(Event.DELETE, DRAFTS, ("job_listing:delete",), None, "Exclui uma vaga", "Vaga excluída."),
    Transition(Event.DELETE, PUBLISHED, ("job_listing:delete_published",), None, "Exclui uma vaga", "Vaga excluída."),
)
# The transitions that have their own operation, in their usual order.
TRANSITIONS = tuple(row for row in TABLE if row.event not in {Event.CREATE, Event.EDIT, Event.DELETE})


def show_job_status(stored: JobStatus, limit: datetime | None, now: datetime) -> JobStatus:
    """Return the status that callers see. A published job is expired once `data_limite` is reached."""
    is_expired = stored is JobStatus.ACTIVE and limit is not None and limit <= now
    return JobStatus.EXPIRED if is_expired else stored


def find_job_transition(event: Event, shown: JobStatus) -> Transition | None:
    """Return the transition for the event in this state, or None if the state does not allow the event."""
    return next((row for row in TABLE if row.event is event and shown in row.sources), None)


def list_open_transitions(shown: JobStatus, holds: Callable[[str], bool]) -> list[str]:
    """Return the events that the caller can cause now, in the order of the table.

    `holds` checks the caller's actions.
    """
    return [row.event.value for row in TRANSITIONS if shown in row.sources and any(map(holds, row.actions))]
