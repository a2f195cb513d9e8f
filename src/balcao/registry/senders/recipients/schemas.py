"""Wire types for checking recipients (rules: registry 4.17)."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

from balcao.core.values.page import Pagination
from balcao.registry.senders.recipients.purposes import PURPOSES

_PURPOSES = "; ".join(f"`{code}`: {meaning}" for code, meaning in PURPOSES.items())

Purpose: TypeAlias = Annotated[
    str, Meta(description=f"Finalidade do envio, um destes códigos. {_PURPOSES}.", examples=["public_campaign"])
]
CampaignCode: TypeAlias = Annotated[
    str,
    Meta(
        description=(
            "Código do envio no sistema que envia: de 2 a 64 letras minúsculas sem acento, algarismos, `.`, `_` ou "
            "`-`, sem dados pessoais. O mesmo código é o mesmo envio."
        ),
        examples=["gripe-2026"],
    ),
]
CampaignNumber: TypeAlias = Annotated[
    int, Meta(description='Número do envio, que a pessoa vê em "quem viu os meus dados".', examples=[42])
]
CategoryId: TypeAlias = Annotated[str, Meta(description="Categoria do envio.", examples=["health"])]


class RecipientsCheck(msgspec.Struct):
    """The recipients to check. Exactly one of `cpfs` and `phones` is required."""

    purpose: Purpose
    campaign: CampaignCode
    cpfs: Annotated[
        list[str] | UnsetType,
        Meta(
            description="De 1 a 1000 CPFs, 11 dígitos cada um, para um envio por e-mail.",
            examples=[["90000000175", "90000000256"]],
        ),
    ] = UNSET
    phones: Annotated[
        list[str] | UnsetType,
        Meta(
            description="De 1 a 1000 telefones com o código do país, para um envio por mensagem.",
            examples=[["+5521900010175"]],
        ),
    ] = UNSET


class CheckedRecipient(msgspec.Struct):
    """The answer about one recipient. If the recipient does not accept the mailing, every other member is empty."""

    recipient: Annotated[
        str,
        Meta(
            description="O CPF, ou o telefone com `+` e o código do país.", examples=["90000000175", "+5521900010175"]
        ),
    ]
    accepts: Annotated[
        bool,
        Meta(
            description="Se o envio é permitido. Falso vale tanto para quem recusou quanto para quem não é conhecido.",
            examples=[True],
        ),
    ]
    channel: Annotated[
        Literal["email", "phone"] | None, Meta(description="Por onde se pode enviar; nulo para quem não aceita.")
    ] = None
    basis: Annotated[
        Literal["choice", "default"] | None,
        Meta(
            description=(
                "`choice`: a pessoa escolheu a categoria. `default`: não escolheu, e vale o padrão da categoria. Nulo "
                "para quem não aceita."
            )
        ),
    ] = None
    proof: Annotated[
        list[str],
        Meta(
            description=(
                "Identificadores dos registros que provam a escolha, os de `history`: o da categoria, o da escolha "
                "geral e o do telefone, se existem. Vazia se a pessoa nunca mudou nada."
            ),
            examples=[["019a8f4e-5b1c-7d20-9a3e-0c5d7e1f2a3b"]],
        ),
    ] = msgspec.field(default_factory=list)
    reference: Annotated[
        str | None,
        Meta(
            description=(
                "Como os avisos de recusa chamam este destinatário, sem dados pessoais; nula para quem não aceita."
            ),
            examples=["5mXv0Gq0sJ3mK1cJ0m1B4g"],
        ),
    ] = None
    unsubscribe: Annotated[
        str | None,
        Meta(
            description=(
                "Endereço para o cabeçalho `List-Unsubscribe` (RFC 8058) da mensagem a esta pessoa, e de mais "
                "ninguém. Nulo sem e-mail."
            ),
            examples=["https://api.cidade.example/registry/v1/unsubscribe/bVc0mJ0Yq3y1nQ7fY2l2d0h4cDk1"],
        ),
    ] = None


class CheckedRecipients(msgspec.Struct):
    """The answers, one for each item in the request, in the same order."""

    category: CategoryId
    campaign: CampaignNumber
    checked_at: Annotated[
        datetime,
        Meta(
            description="Quando se consultou. Consulte de novo antes de cada envio: uma recusa vale logo depois.",
            examples=["2026-03-02T14:05:09.120000Z"],
        ),
    ]
    recipients: Annotated[list[CheckedRecipient], Meta(description="Um item para cada destinatário, na ordem pedida.")]


class Campaign(msgspec.Struct):
    """A mailing for which a sender has checked recipients."""

    number: CampaignNumber
    client: Annotated[str, Meta(description="Cliente que enviou.", examples=["envios"])]
    category: CategoryId
    code: CampaignCode
    purpose: Purpose
    people: Annotated[int, Meta(description="Quantas pessoas foram consultadas.", examples=[1200])]
    declared_at: Annotated[datetime, Meta(description="Primeira consulta.", examples=["2026-03-02T14:05:09.120000Z"])]
    checked_at: Annotated[
        datetime, Meta(description="Última consulta com uma pessoa nova.", examples=["2026-03-02T15:00:00Z"])
    ]


class Campaigns(msgspec.Struct):
    """A page of mailings, newest first."""

    data: Annotated[list[Campaign], Meta(description="Os envios da página, o mais novo primeiro.")]
    pagination: Annotated[Pagination, Meta(description="A página e o total.")]
