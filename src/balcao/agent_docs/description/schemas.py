"""Wire types of the root."""

from typing import Annotated

import msgspec


class DescribedService(msgspec.Struct):
    """`base` is relative to the root."""

    name: Annotated[str, msgspec.Meta(examples=["agents"])]
    base: Annotated[str, msgspec.Meta(examples=["../agent"])]


class Root(msgspec.Struct):
    """Where to go on from here; every link is relative, so that it works under any prefix."""

    name: Annotated[str, msgspec.Meta(examples=["agent_docs"])]
    message: Annotated[str, msgspec.Meta(examples=["Descrição da API."])]
    version: Annotated[str, msgspec.Meta(examples=["0.1.0"])]
    description: Annotated[str, msgspec.Meta(examples=["swagger.json"])]
    health: Annotated[str, msgspec.Meta(examples=["readiness"])]
    services: list[DescribedService]
