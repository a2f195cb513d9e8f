"""Wire types for rate limits (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.core.http.paging import PageQuery
from balcao.core.values.page import Pagination
from balcao.registry.operation.members import EndsAt, ReasonInBody

MOST_MINUTES = 24 * 60


class LimitQuery(PageQuery):
    """The filters for rate limits."""

    search: Annotated[
        str | None, Meta(description="Só aqueles cujo nome ou resumo contém isto.", examples=["preferences"])
    ] = None
    changed: Annotated[
        bool | None, Meta(description="`true`: só os mudados; `false`: só os como configurados.", examples=[True])
    ] = None


class LimitState(msgspec.Struct):
    """A rate limit. The last three members are null unless the rate has been changed."""

    name: Annotated[str, Meta(description="Nome do limite.", examples=["registry.read_preferences"])]
    about: Annotated[
        str,
        Meta(
            description="O que limita: `setting` (as operações sem taxa própria), `use case`, `operation` (a taxa vem "
            "da configuração) ou `operation's own`.",
            examples=["operation"],
        ),
    ]
    summary: Annotated[
        str,
        Meta(
            description="O que faz a operação que ele limita; vazio se limita várias.",
            examples=["Preferências do cidadão"],
        ),
    ]
    rate: Annotated[str, Meta(description="Taxa em vigor.", examples=["20/second"])]
    configured: Annotated[str, Meta(description="Taxa configurada.", examples=["50/second"])]
    changed_at: Annotated[
        datetime | None, Meta(description="Desde quando vale (RFC 3339).", examples=["2026-03-02T12:30:00Z"])
    ]
    ends_at: EndsAt
    by: Annotated[str | None, Meta(description="Quem a mudou.", examples=["Kleber Assis"])]


class LimitPage(msgspec.Struct):
    """A page of rate limits."""

    data: Annotated[list[LimitState], Meta(description="Limites: os mudados primeiro.")]
    pagination: Annotated[Pagination, Meta(description="Página devolvida e total de limites.")]


class LimitChange(msgspec.Struct):
    """A new rate for a limited time."""

    rate: Annotated[str, Meta(max_length=40, description="Quantas vezes por período.", examples=["500/second"])]
    minutes: Annotated[
        int, Meta(ge=1, le=MOST_MINUTES, description="Por quantos minutos, no máximo um dia.", examples=[60])
    ]
    reason: ReasonInBody
