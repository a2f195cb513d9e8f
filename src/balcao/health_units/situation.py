"""The terms that describe the situation of a unit."""

from datetime import datetime, timedelta
from enum import StrEnum

# An active notification that nobody has changed or confirmed for so long may no longer be true.
OUTDATED_AFTER = timedelta(hours=24)


class Risco(StrEnum):
    """Rising."""

    VERDE = "Verde"
    AMARELO = "Amarelo"
    LARANJA = "Laranja"
    VERMELHO = "Vermelho"

    @property
    def rank(self) -> int:
        """Return the place in the rising order, 0 for green."""
        return list(Risco).index(self)


class Status(StrEnum):
    ATIVO = "Ativo"
    ENCERRADO = "Encerrado"


def is_outdated(touched_at: datetime, now: datetime) -> bool:
    """Tell whether nobody has touched an active notification for too long; nothing closes by itself."""
    return now - touched_at > OUTDATED_AFTER
