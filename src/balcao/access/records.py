"""Records that several features return."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta


class Role(msgspec.Struct):
    """A role of the catalogue. A role that came with the platform has no author."""

    id: Annotated[int, Meta(description="Identificador do papel.", examples=[21])]
    name: Annotated[str, Meta(description="Nome do papel.", examples=["iptu:consulta"])]
    description: Annotated[str, Meta(description="Para que serve.", examples=["Consulta a boletos do IPTU"])]
    created_by: Annotated[
        str | None,
        Meta(description="CPF mascarado de quem o criou; nulo se veio com a plataforma.", examples=["***.000.401-**"]),
    ]
    created_at: Annotated[
        datetime | None,
        Meta(description="Quando foi criado; nulo se veio com a plataforma.", examples=["2026-03-02T12:00:00Z"]),
    ]
