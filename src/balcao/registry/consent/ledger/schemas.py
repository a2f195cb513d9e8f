"""Wire types for the preference ledger (rules: registry 3.5)."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from balcao.core.context.audit import ActorKind
from balcao.core.values.page import Pagination
from balcao.registry.paths import CpfText

LedgerAction = Literal["opt_in", "opt_out", "category_update"]


class LedgerEntry(msgspec.Struct, frozen=True):
    """A change of one preference. `category` is null if the global flag changed."""

    id: Annotated[str, Meta(description="Identificador da mudança.", examples=["019a8f4e-5b1c-7d20-9a3e-0c5d7e1f2a3b"])]
    cpf: CpfText
    timestamp: Annotated[
        datetime, Meta(description="Quando a mudança passou a valer.", examples=["2026-03-02T14:05:09.120000Z"])
    ]
    action: Annotated[
        LedgerAction,
        Meta(
            description="O que mudou: `opt_in` ou `opt_out` da escolha geral, ou `category_update`.",
            examples=["category_update"],
        ),
    ]
    scope: Annotated[
        Literal["global", "category"],
        Meta(description="`global` para a escolha geral, `category` para uma categoria.", examples=["category"]),
    ]
    category: Annotated[str | None, Meta(description="A categoria; nulo na escolha geral.", examples=["health"])]
    channel: Annotated[str, Meta(description="Canal em que a escolha foi feita.", examples=["web"])]
    reason: Annotated[str | None, Meta(description="Motivo informado; nulo se nenhum.", examples=["too_many_messages"])]
    old_value: Annotated[bool, Meta(description="A escolha de antes.", examples=[True])]
    new_value: Annotated[bool, Meta(description="A escolha nova.", examples=[False])]
    actor_kind: Annotated[ActorKind, Meta(description="Quem mudou: o cidadão, um atendente ou um sistema.")]
    azp: Annotated[
        str, Meta(description="Cliente pelo qual se mudou, a claim `azp` do token.", examples=["citizen-portal"])
    ]
    request_id: Annotated[
        str,
        Meta(description="Identificador da requisição que mudou.", examples=["0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60"]),
    ]


class PreferenceHistory(msgspec.Struct):
    """A page of ledger entries, newest first."""

    data: Annotated[list[LedgerEntry], Meta(description="Mudanças da página, a mais nova primeiro.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]
