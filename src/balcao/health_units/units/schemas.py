"""The body that registers a health unit."""

from typing import Annotated

from pydantic import Field, StringConstraints

from balcao.core.http.models import Model
from balcao.health_units.records import Tipo
from balcao.health_units.texts import Line

_Phone = Annotated[str, StringConstraints(pattern=r"^\([0-9]{2}\) [0-9]{4,5}-[0-9]{4}$")]
_ZipCode = Annotated[str, StringConstraints(pattern=r"^[0-9]{5}-[0-9]{3}$")]


class UnitBody(Model):
    """A unit in a request, without the computed members (rules: health_units 3.1)."""

    nome: Annotated[Line, Field(max_length=200, description="Nome da unidade.", examples=["Clínica da Família"])]
    logradouro: Annotated[Line | None, Field(max_length=200, description="Rua.", examples=["Rua Modelo"])] = None
    numero: Annotated[Line | None, Field(max_length=20, description="Número.", examples=["101"])] = None
    complemento: Annotated[Line | None, Field(max_length=200, description="Complemento.", examples=["fundos"])] = None
    cep: Annotated[_ZipCode | None, Field(description="CEP.", examples=["20000-001"])] = None
    telefone: Annotated[_Phone | None, Field(description="Telefone.", examples=["(21) 2222-2222"])] = None
    celular: Annotated[_Phone | None, Field(description="Celular.", examples=["(21) 99999-9999"])] = None
    tipo: Annotated[Tipo, Field(description="Tipo da unidade.", examples=["CF"])]
    area: Annotated[Line | None, Field(max_length=20, description="Área de planejamento.", examples=["2.1"])] = None
    bairro: Annotated[Line | None, Field(max_length=100, description="Bairro.", examples=["Centro"])] = None
    latitude: Annotated[float | None, Field(ge=-90, le=90, description="Latitude em graus.", examples=[-22.9])] = None
    longitude: Annotated[float | None, Field(ge=-180, le=180, description="Longitude em graus.", examples=[-43.2])] = (
        None
    )
    ativa: Annotated[bool, Field(description="Se a unidade funciona; uma unidade nunca é apagada.")] = True
