"""Wire types for holidays."""

from datetime import date
from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field

from balcao.core.http.models import Model
from balcao.core.values.fields import NaturalNumber
from balcao.health_units.operations import EARLIEST, LATEST
from balcao.health_units.texts import Line


class Ambito(StrEnum):
    NACIONAL = "nacional"
    ESTADUAL = "estadual"
    MUNICIPAL = "municipal"


class HolidayBody(Model):
    """A holiday without its date."""

    nome: Annotated[Line, Field(max_length=100, description="Nome do feriado.", examples=["São Sebastião"])]
    ambito: Annotated[Ambito, Field(description="De quem é o feriado.")]
    facultativo: Annotated[bool, Field(description="Se é ponto facultativo.", examples=[False])]
    fecha: Annotated[bool, Field(description="Se as unidades fecham, salvo as que abrem em feriado.", examples=[True])]


class HolidaysQuery(Model):
    """The filter for holidays."""

    ano: Annotated[
        NaturalNumber | None,
        Field(ge=EARLIEST.year, le=LATEST.year, description="Só deste ano; sem ele vêm todos.", examples=[2026]),
    ] = None


class Holiday(msgspec.Struct, frozen=True):
    """A holiday, with its date."""

    data: Annotated[date, Meta(description="O dia.", examples=["2027-01-20"])]
    nome: Annotated[str, Meta(description="Nome do feriado.", examples=["São Sebastião"])]
    ambito: Annotated[Ambito, Meta(description="De quem é o feriado.")]
    facultativo: Annotated[bool, Meta(description="Se é ponto facultativo.", examples=[False])]
    fecha: Annotated[bool, Meta(description="Se as unidades fecham.", examples=[True])]


class Holidays(msgspec.Struct, frozen=True):
    """Holidays, sorted by date."""

    itens: Annotated[list[Holiday], Meta(description="Por data.")]
