"""The states of an older job and the moves between them, without SQL and HTTP (rules: employability 4.7)."""

from datetime import datetime
from enum import StrEnum

from balcao.core.errors import Conflict, Invalid


class Status(StrEnum):
    CREATED = "CRIADO"
    OPEN = "ABERTO"
    UNDER_REVIEW = "EM_ANALISE"
    CLOSED = "ENCERRADO"


FIRST = frozenset({Status.CREATED, Status.OPEN})

_MOVES = {
    Status.CREATED: frozenset({Status.OPEN}),
    Status.OPEN: frozenset({Status.UNDER_REVIEW, Status.CLOSED}),
    Status.UNDER_REVIEW: frozenset({Status.OPEN, Status.CLOSED}),
    Status.CLOSED: frozenset({Status.OPEN}),
}


def start(status: Status) -> None:
    """Raises Invalid for a status in which no job begins."""
    if status not in FIRST:
        raise Invalid("O campo `status` de um emprego novo é CRIADO ou ABERTO.", code="status-not-first")


def move(held: Status, wanted: Status, limit: datetime | None, now: datetime) -> None:
    """Raises Conflict unless the move is allowed; the same status again is no move.

    `limit` is the new `data_limite_candidatura`: a closed job opens again only while it has not passed.
    """
    if wanted is held:
        return
    expired = limit is not None and limit <= now
    if wanted not in _MOVES[held] or (held is Status.CLOSED and expired):
        raise Conflict(f"O emprego está {held}: o `status` não pode mudar para {wanted}.", code="status-move")
