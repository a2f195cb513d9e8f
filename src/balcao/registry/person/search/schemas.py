"""Wire types for finding a citizen at the counter (rules: registry 2.12)."""

from typing import Annotated

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.registry.members import CpfDigits, MaskedCpf

Handle = Annotated[
    str,
    Meta(
        description="O que enviar a `/admin/citizens/identify` para ter o CPF desta pessoa; vale 15 minutos, só para "
        "quem pesquisou.",
        examples=["eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..."],
    ),
]


class SearchBody(msgspec.Struct):
    """A search: either `name` with `birth_date`, or `protocol`, or `phone`."""

    name: (
        Annotated[
            str,
            Meta(
                description="Primeiro nome, civil ou social, e ao menos mais um; maiúsculas e acentos não contam.",
                examples=["Carla Nogueira"],
            ),
        ]
        | UnsetType
    ) = UNSET
    birth_date: (
        Annotated[
            str,
            Meta(
                description="Nascimento, `AAAA-MM-DD`; obrigatório com `name`.",
                examples=["1972-02-20"],
                extra_json_schema={"format": "date"},
            ),
        ]
        | UnsetType
    ) = UNSET
    protocol: (
        Annotated[
            str,
            Meta(
                description="Protocolo inteiro de um chamado da cidade, ou número inteiro de um pedido.",
                examples=["20250000071"],
            ),
        ]
        | UnsetType
    ) = UNSET
    phone: (
        Annotated[
            str,
            Meta(description="Telefone inteiro; sem `+` e com 10 ou 11 dígitos, do Brasil.", examples=["21900010337"]),
        ]
        | UnsetType
    ) = UNSET


class FoundCitizen(msgspec.Struct):
    """A found person, with only enough data to recognise them at the counter."""

    handle: Handle
    cpf: MaskedCpf
    name: Annotated[
        str | None,
        Meta(
            description="Nome social, se há, senão o civil; nulo para quem a cidade não cadastrou.",
            examples=["Carla Nogueira"],
        ),
    ]


class FoundCitizens(msgspec.Struct):
    """The result of a search: at most five people."""

    data: Annotated[list[FoundCitizen], Meta(description="As pessoas encontradas, por nome; vazia se nenhuma.")]


class IdentifyBody(msgspec.Struct):
    """The handle of the person whom the caller recognised at the counter."""

    handle: Handle


class IdentifiedCitizen(msgspec.Struct):
    """The CPF of the identified person."""

    cpf: CpfDigits
