"""The terms that describe the situation of a unit."""

from datetime import datetime, timedelta
from enum import StrEnum

# An active notification that was not changed or confirmed for this long may no longer be true.
OUTDATED_AFTER = timedelta(hours=24)


class Risco(StrEnum):
    """The colours of risk, from lowest to highest."""

    VERDE = "Verde"
    AMARELO = "Amarelo"
    LARANJA = "Laranja"
    VERMELHO = "Vermelho"

    @property
    def rank(self) -> int:
        """Return the position in the order of risk, 0 for green."""
        return list(Risco).index(self)


class Status(StrEnum):
    ATIVO = "Ativo"
    ENCERRADO = "Encerrado"


def is_outdated(touched_at: datetime, now: datetime) -> bool:
    """Return whether an active notification was not changed or confirmed for too long.

    It stays active until staff close it.
    """
    return now - touched_at > OUTDATED_AFTER
