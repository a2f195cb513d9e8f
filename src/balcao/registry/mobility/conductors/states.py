"""The states of a driver link and who may move it, without SQL and HTTP (registry document, 4.8)."""

from balcao.core.errors import Invalid
from balcao.registry.mobility.conductors.schemas import Status

OPEN = frozenset({Status.PENDING, Status.ACCEPTED})
_ANSWERS = {Status.ACCEPTED, Status.REJECTED}


def answer_of(word: str) -> Status:
    """What an invitee may say. Raises Invalid."""
    if word not in _ANSWERS:
        raise Invalid("O campo `status` deve ser um de: accepted, rejected.", code="status-unknown")
    return Status(word)


def require_pending(held: Status) -> None:
    """Raises Invalid: an invitation is answered once."""
    if held is not Status.PENDING:
        raise Invalid("Este convite não está mais pendente.", code="not-pending")


def require_open(held: Status) -> None:
    """Raises Invalid: only a pending or accepted link can be removed."""
    if held not in OPEN:
        raise Invalid("Este vínculo já não está pendente nem aceito.", code="not-open")
