"""The colours and statuses that describe a unit's risk."""

from datetime import datetime, timedelta
from enum import StrEnum

# An active notification that was neither changed nor confirmed for this time may no longer be true.
OUTDATED_AFTER = timedelta(hours=24)


class Risco(StrEnum):
    """The colours of risk, from lowest to highest."""

    VERDE = "Verde"
    AMARELO = "Amarelo"
    LARANJA = "Laranja"
    VERMELHO = "Vermelho"

    @property
    def rank(self) -> int:
        """Return the position in the order of risk. Green has position 0."""
        return list(Risco).index(self)


class Status(StrEnum):
    ATIVO = "Ativo"
    ENCERRADO = "Encerrado"


def is_outdated(touched_at: datetime, now: datetime) -> bool:
    """Return whether the last change or confirmation of an active notification is too old.

    An outdated notification remains active until staff close it.
    """
    return now - touched_at > OUTDATED_AFTER
