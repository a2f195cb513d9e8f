"""The words in which the situation of a unit is told."""

from enum import StrEnum


class Risco(StrEnum):
    """Rising."""

    VERDE = "Verde"
    AMARELO = "Amarelo"
    LARANJA = "Laranja"
    VERMELHO = "Vermelho"

    @property
    def rank(self) -> int:
        return list(Risco).index(self)


class Status(StrEnum):
    ATIVO = "Ativo"
    ENCERRADO = "Encerrado"
