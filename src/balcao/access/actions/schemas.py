"""Wire types of the authorization actions."""

from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import AfterValidator, BaseModel, Field, StringConstraints

from balcao.core.values.text import has_control


def _printable(text: str) -> str:
    if has_control(text, allowed="\n\t"):
        raise ValueError("não pode conter caracteres de controle")
    return text


Name = Annotated[str, StringConstraints(min_length=3, max_length=100, pattern=r"^[A-Za-z0-9_.-]+(:[A-Za-z0-9_.-]+)+$")]
Description = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500), AfterValidator(_printable)
]


class ActionChange(BaseModel):
    """What is left out or null stays as it is."""

    name: Annotated[
        Name | None,
        Field(
            description="Nome novo, `recurso:verbo`, único no catálogo; sem ele o nome fica.",
            examples=["avatars:manage"],
        ),
    ] = None
    description: Annotated[
        Description | None,
        Field(
            description="Descrição nova, até 500 caracteres; sem ela a descrição fica.",
            examples=["Publica e retira avatares do catálogo."],
        ),
    ] = None


class Action(msgspec.Struct):
    """An action of the catalogue (spec: authorization action). `endpoint_count` counts the mappings bound to it."""

    id: Annotated[int, Meta(description="Identificador da ação.", examples=[1])]
    name: Annotated[str, Meta(description="Nome da ação, `recurso:verbo`.", examples=["avatars:manage"])]
    description: Annotated[
        str, Meta(description="O que a ação permite.", examples=["Publica e retira avatares do catálogo."])
    ]
    endpoint_count: Annotated[int, Meta(description="Quantas operações dependem desta ação.", examples=[2])]
