"""The record of a unit, which several features of this service use."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta


class Tipo(StrEnum):
    CF = "CF"
    CMS = "CMS"
    UPA = "UPA"
    HOSPITAL = "HOSPITAL"
    OUTRO = "OUTRO"


CnesText = Annotated[
    str, Meta(pattern=r"^[0-9]{7}$", description="CNES da unidade: sete dígitos.", examples=["9900001"])
]


class UnitRecord(msgspec.Struct, frozen=True):
    """A unit, as it is registered."""

    cnes: CnesText
    nome: Annotated[str, Meta(description="Nome da unidade.", examples=["Clínica da Família Modelo 1"])]
    logradouro: Annotated[str | None, Meta(description="Rua; nula se não há.", examples=["Rua Modelo"])]
    numero: Annotated[str | None, Meta(description="Número; nulo se não há.", examples=["101"])]
    complemento: Annotated[str | None, Meta(description="Complemento; nulo se não há.", examples=["fundos"])]
    cep: Annotated[str | None, Meta(description="CEP; nulo se não há.", examples=["20000-001"])]
    telefone: Annotated[str | None, Meta(description="Telefone; nulo se não há.", examples=["(21) 2222-2222"])]
    celular: Annotated[str | None, Meta(description="Celular; nulo se não há.", examples=["(21) 99999-9999"])]
    tipo: Annotated[Tipo, Meta(description="Tipo da unidade.")]
    area: Annotated[str | None, Meta(description="Área de planejamento; nula se não há.", examples=["2.1"])]
    bairro: Annotated[str | None, Meta(description="Bairro; nulo se não há.", examples=["Centro"])]
    latitude: Annotated[float | None, Meta(description="Latitude em graus; nula se não há.", examples=[-22.9])]
    longitude: Annotated[float | None, Meta(description="Longitude em graus; nula se não há.", examples=[-43.2])]
    ativa: Annotated[bool, Meta(description="Se a unidade funciona.", examples=[True])]
    atualizado_em: Annotated[
        str, Meta(description="Última alteração do registro, com fuso.", examples=["2026-10-05T14:30:00-03:00"])
    ]
