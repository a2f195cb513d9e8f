"""The states of an older job and the moves between them, without SQL and HTTP (rules: employability 4.7)."""

from datetime import datetime
from enum import StrEnum

from balcao.core.errors import Conflict, Invalid


class JobStatus(StrEnum):
    CREATED = "CRIADO"
    OPEN = "ABERTO"
    UNDER_REVIEW = "EM_ANALISE"
    CLOSED = "ENCERRADO"


FIRST = frozenset({JobStatus.CREATED, JobStatus.OPEN})

_MOVES = {
    JobStatus.CREATED: frozenset({JobStatus.OPEN}),
    JobStatus.OPEN: frozenset({JobStatus.UNDER_REVIEW, JobStatus.CLOSED}),
    JobStatus.UNDER_REVIEW: frozenset({JobStatus.OPEN, JobStatus.CLOSED}),
    JobStatus.CLOSED: frozenset({JobStatus.OPEN}),
}


def check_first(status: JobStatus) -> None:
    """Check the status of a new job. Raises Invalid for one in which no job begins."""
    if status not in FIRST:
        raise Invalid("O campo `status` de um emprego novo é CRIADO ou ABERTO.", code="status-not-first")


def check_move(current: JobStatus, new: JobStatus, limit: datetime | None, now: datetime) -> None:
    """Check a change of status; the same one again is no move. Raises Conflict.

    `limit` is the new `data_limite_candidatura`: a closed job opens again only while it has not passed.
    """
    if new is current:
        return
    expired = limit is not None and limit <= now
    if new not in _MOVES[current] or (current is JobStatus.CLOSED and expired):
        raise Conflict(f"O emprego está {current}: o `status` não pode mudar para {new}.", code="status-move")
