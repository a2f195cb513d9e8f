"""The states of a driver link and who may move it, without SQL and HTTP (rules: registry 4.8)."""

from balcao.core.errors import Invalid
from balcao.registry.mobility.invitations.schemas import LinkStatus

OPEN = frozenset({LinkStatus.PENDING, LinkStatus.ACCEPTED})
_ANSWERS = {LinkStatus.ACCEPTED, LinkStatus.REJECTED}


def answer_of(word: str) -> LinkStatus:
    """What an invitee may say. Raises Invalid."""
    if word not in _ANSWERS:
        raise Invalid("O campo `status` deve ser um de: accepted, rejected.", code="status-unknown")
    return LinkStatus(word)


def require_pending(held: LinkStatus) -> None:
    """Raises Invalid: an invitation is answered once."""
    if held is not LinkStatus.PENDING:
        raise Invalid("Este convite não está mais pendente.", code="not-pending")


def require_open(held: LinkStatus) -> None:
    """Raises Invalid: only a pending or accepted link can be removed."""
    if held not in OPEN:
        raise Invalid("Este vínculo já não está pendente nem aceito.", code="not-open")
