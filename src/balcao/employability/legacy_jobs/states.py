"""The statuses of an older job and the allowed changes between them (rules: employability 4.7). No SQL or HTTP here."""

from datetime import datetime
from enum import StrEnum

from balcao.core.errors import Conflict, Invalid


class LegacyJobStatus(StrEnum):
    CREATED = "CRIADO"
    OPEN = "ABERTO"
    UNDER_REVIEW = "EM_ANALISE"
    CLOSED = "ENCERRADO"


FIRST = frozenset({LegacyJobStatus.CREATED, LegacyJobStatus.OPEN})

_MOVES = {
    LegacyJobStatus.CREATED: frozenset({LegacyJobStatus.OPEN}),
    LegacyJobStatus.OPEN: frozenset({LegacyJobStatus.UNDER_REVIEW, LegacyJobStatus.CLOSED}),
    LegacyJobStatus.UNDER_REVIEW: frozenset({LegacyJobStatus.OPEN, LegacyJobStatus.CLOSED}),
    LegacyJobStatus.CLOSED: frozenset({LegacyJobStatus.OPEN}),
}


def check_first(status: LegacyJobStatus) -> None:
    """Raise Invalid if a new job cannot have this status."""
    if status not in FIRST:
        raise Invalid("O campo `status` de um emprego novo é CRIADO ou ABERTO.", code="status-not-first")


def check_move(current: LegacyJobStatus, new: LegacyJobStatus, limit: datetime | None, now: datetime) -> None:
    """Raise Conflict if the status may not change in this way. An unchanged status is always valid.

    `limit` is the new `data_limite_candidatura`. A closed job can be reopened only before this instant.
    """
    if new is current:
        return
    expired = limit is not None and limit <= now
    if new not in _MOVES[current] or (current is LegacyJobStatus.CLOSED and expired):
        raise Conflict(f"O emprego está {current}: o `status` não pode mudar para {new}.", code="status-move")
