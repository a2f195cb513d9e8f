"""What staff send about a risk notification."""

from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, BaseModel, StringConstraints

from balcao.core.values.personal_data import CPF, EMAIL, refuse
from balcao.health_units.situation import Risco


class Causa(StrEnum):
    """Why a notification was closed; one closed as a mistake is never shown to the public again."""

    NORMALIZACAO = "normalizacao"
    ENGANO = "engano"
    OUTRO = "outro"


# Internal, but no place for a person's data either.
Motivo = Annotated[str, StringConstraints(max_length=1000), AfterValidator(lambda text: refuse(text, {CPF, EMAIL}))]


class OpenBody(BaseModel):
    risco: Risco
    motivo: Motivo | None = None


class ChangeBody(BaseModel):
    """The same colour again is a confirmation."""

    risco: Risco
    motivo: Motivo | None = None


class CloseBody(BaseModel):
    """`risco` is the last colour to record; without it the colour stays."""

    causa: Causa = Causa.NORMALIZACAO
    risco: Risco | None = None
    motivo: Motivo | None = None
