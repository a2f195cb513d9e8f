"""The states of a driver link and who may move it, without SQL and HTTP (rules: registry 4.8)."""

from balcao.core.errors import Invalid
from balcao.registry.mobility.drivers.schemas import LinkStatus

OPEN = frozenset({LinkStatus.PENDING, LinkStatus.ACCEPTED})
_ANSWERS = {LinkStatus.ACCEPTED, LinkStatus.REJECTED}


def parse_answer(word: str) -> LinkStatus:
    """Return the state that an invitee may put the link in. Raises Invalid for any other word."""
    if word not in _ANSWERS:
        raise Invalid("O campo `status` deve ser um de: accepted, rejected.", code="status-unknown")
    return LinkStatus(word)


def require_pending(present: LinkStatus) -> None:
    """Raise Invalid unless the link is pending: an invitation is answered once."""
    if present is not LinkStatus.PENDING:
        raise Invalid("Este convite não está mais pendente.", code="not-pending")


def require_open(present: LinkStatus) -> None:
    """Raise Invalid unless the link is pending or accepted: no other can be removed."""
    if present not in OPEN:
        raise Invalid("Este vínculo já não está pendente nem aceito.", code="not-open")
