"""Member types shared by the wire types of several operation features."""

from datetime import datetime
from typing import Annotated, TypeAlias

from msgspec import Meta

EndsAt: TypeAlias = Annotated[
    datetime | None,
    Meta(
        description="Quando termina sozinho (RFC 3339); nulo se só quando alguém o desfizer.",
        examples=["2026-03-02T14:00:00Z"],
    ),
]
ChangedAt: TypeAlias = Annotated[
    datetime, Meta(description="Desde quando (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
]
ChangedBy: TypeAlias = Annotated[
    str, Meta(description="Quem o fez: nome, ou login e máquina de quem usou o comando.", examples=["Kleber Assis"])
]
ReasonInBody: TypeAlias = Annotated[
    str,
    Meta(
        min_length=3,
        max_length=150,
        description="Por quê; fica na trilha de auditoria, sem dados de ninguém.",
        examples=["Campanha de vacinação"],
    ),
]
