"""A webhook: where changes are sent, of which units, and how the last call went."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import BaseModel, Field, StringConstraints

from balcao.core.values.cnes import PATTERN
from balcao.core.webhooks.sending import WebhookAddress
from balcao.health_units.feed.schemas import RiskEvent, UnitEvent
from balcao.health_units.texts import PublicText

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"
_INSTANT = "2026-10-05T14:30:00-03:00"


class WebhookBody(BaseModel):
    """Where to send, and what."""

    url: Annotated[
        WebhookAddress,
        Field(
            max_length=500, description="Endereço https que recebe os avisos.", examples=["https://painel.example/a"]
        ),
    ]
    descricao: Annotated[
        PublicText | None, Field(max_length=200, description="De quem é, para a equipe.", examples=["Painel do centro"])
    ] = None
    unidades: Annotated[
        list[Annotated[str, StringConstraints(pattern=PATTERN)]],
        Field(max_length=100, description="CNES das unidades; vazia para todas.", examples=[["9900001"]]),
    ] = []
    ativo: Annotated[bool, Field(description="Se os avisos são enviados.")] = True


class Webhook(msgspec.Struct, kw_only=True):
    """A webhook without its secret."""

    id: Annotated[str, Meta(description="Identificador (UUID).", examples=[_EXAMPLE_ID])]
    url: Annotated[str, Meta(description="Endereço que recebe os avisos.", examples=["https://painel.example/a"])]
    descricao: Annotated[str | None, Meta(description="De quem é; nula se não há.", examples=["Painel do centro"])]
    unidades: Annotated[list[str], Meta(description="CNES das unidades; vazia para todas.", examples=[["9900001"]])]
    ativo: Annotated[bool, Meta(description="Se os avisos são enviados; um 410 do destino o desliga.", examples=[True])]
    criado_em: Annotated[str, Meta(description="Quando foi cadastrado.", examples=[_INSTANT])]
    ultima_entrega_em: Annotated[
        str | None, Meta(description="Quando o destino aceitou o último aviso.", examples=[_INSTANT])
    ]
    ultima_falha_em: Annotated[str | None, Meta(description="Quando uma tentativa falhou.", examples=[_INSTANT])]
    ultimo_erro: Annotated[
        str | None, Meta(description="Código da última falha; nulo depois de uma entrega.", examples=["status-500"])
    ]


class WebhookWithSecret(Webhook, kw_only=True):
    """What is shown once, when the secret is made."""

    segredo: Annotated[
        str,
        Meta(
            description="Segredo com que os avisos são assinados; mostrado só agora.",
            examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
        ),
    ]


class Webhooks(msgspec.Struct):
    """All webhooks."""

    itens: Annotated[list[Webhook], Meta(description="Do mais antigo ao mais novo.")]


class TrialEvent(msgspec.Struct):
    """`teste`: sent on demand."""

    webhook: str


class Message(msgspec.Struct):
    """The body of a call: the event of the stream, its kind, and when it was published."""

    type: Literal["risco", "unidade", "teste"]
    timestamp: str
    data: RiskEvent | UnitEvent | TrialEvent
