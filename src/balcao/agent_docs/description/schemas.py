"""Wire types for the root page."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao import __version__


class DescribedService(msgspec.Struct):
    """A service that the document describes. `base` is relative to the root page."""

    name: Annotated[str, Meta(description="Nome do serviço descrito.", examples=["agents"])]
    base: Annotated[str, Meta(description="Endereço base do serviço, relativo a esta página.", examples=["../agent"])]


class Root(msgspec.Struct):
    """The body of the root page. All links are relative, so they work under any prefix."""

    name: Annotated[str, Meta(description="Nome deste serviço.", examples=["agent_docs"])]
    message: Annotated[str, Meta(description="O que há aqui, em uma frase.", examples=["Descrição da API."])]
    version: Annotated[str, Meta(description="Versão da plataforma.", examples=[__version__])]
    description: Annotated[str, Meta(description="Endereço do documento OpenAPI.", examples=["swagger.json"])]
    health: Annotated[str, Meta(description="Endereço do estado deste serviço.", examples=["readiness"])]
    services: Annotated[list[DescribedService], Meta(description="Serviços que o documento descreve.")]
