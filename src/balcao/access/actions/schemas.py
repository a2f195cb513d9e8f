"""Wire types of the authorization actions."""

from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import BaseModel, Field

from balcao.access.conventions import ActionName, Description


class ActionChange(BaseModel):
    """What is left out or null stays as it is."""

    name: Annotated[
        ActionName | None,
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
