"""The terms that describe the situation of a unit."""

from enum import StrEnum


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
