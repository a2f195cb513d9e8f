"""What a health unit is made of."""

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, Field


class Tipo(StrEnum):
    CF = "CF"
    CMS = "CMS"
    UPA = "UPA"
    HOSPITAL = "HOSPITAL"
    OUTRO = "OUTRO"


_Phone = Annotated[str, Field(pattern=r"^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$")]


class UnitBody(BaseModel):
    """A unit without its derived members (rules: health_units 3.1)."""

    nome: Annotated[str, Field(min_length=1, max_length=200)]
    logradouro: Annotated[str, Field(max_length=200)] | None = None
    numero: Annotated[str, Field(max_length=20)] | None = None
    complemento: Annotated[str, Field(max_length=200)] | None = None
    cep: Annotated[str, Field(pattern=r"^[0-9]{5}-[0-9]{3}$")] | None = None
    telefone: _Phone | None = None
    celular: _Phone | None = None
    tipo: Tipo
    area: Annotated[str, Field(min_length=1, max_length=20)] | None = None
    bairro: Annotated[str, Field(max_length=100)] | None = None
    latitude: Annotated[float, Field(ge=-90, le=90)] | None = None
    longitude: Annotated[float, Field(ge=-180, le=180)] | None = None
    ativa: bool = True
