"""Wire types for the health check."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


class Dependency(msgspec.Struct):
    """The status of a system that the registry needs."""

    status: Annotated[bool, Meta(description="Se respondeu.", examples=[True])]
    message: Annotated[str, Meta(description="Estado em palavras.", examples=["disponível"])]
    timestamp: Annotated[
        datetime, Meta(description="Quando se perguntou (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]


class Dependencies(msgspec.Struct):
    """The status of each system that the registry needs."""

    datastore: Annotated[Dependency, Meta(description="O banco de dados.")]
    cache: Annotated[Dependency, Meta(description="O cache compartilhado.")]


class HealthCheck(msgspec.Struct):
    """The registry's status (spec: health check result). `version` is the version of the installed package."""

    services: Annotated[Dependencies, Meta(description="O que o serviço precisa.")]
    status: Annotated[bool, Meta(description="Se tudo responde.", examples=[True])]
    timestamp: Annotated[
        datetime, Meta(description="Quando se perguntou (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    version: Annotated[str, Meta(description="Versão instalada.", examples=["1.0.0"])]
