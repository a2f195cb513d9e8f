"""Wire types for webhooks and the deliveries to them."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints

from balcao.core.http.models import Model
from balcao.core.values.cnes import PATTERN
from balcao.core.values.fields import Flag, NaturalNumber
from balcao.core.webhooks.sending import WebhookAddress
from balcao.health_units.texts import PublicText

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"
_INSTANT = "2026-10-05T14:30:00-03:00"


class WebhookBody(Model):
    """A webhook in a request: its address, and the units whose changes it receives."""

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
    """A webhook with its new secret, which is shown only once."""

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


class DeliveriesQuery(Model):
    """The filter and the page for deliveries."""

    falhas: Annotated[Flag, Field(description="`true`: só as que o destino ainda não aceitou.", examples=[True])] = (
        False
    )
    limit: Annotated[NaturalNumber, Field(ge=1, le=200, description="Quantas por página, de 1 a 200.")] = 50
    page: Annotated[NaturalNumber, Field(ge=1, le=1_000_000, description="A página, a partir de 1.", examples=[1])] = 1


class DeliveryTry(msgspec.Struct):
    """One delivery attempt of a webhook message."""

    em: Annotated[str, Meta(description="Quando foi feita.", examples=[_INSTANT])]
    erro: Annotated[str | None, Meta(description="Código da falha; nulo se foi aceita.", examples=["status-500"])]


class Delivery(msgspec.Struct):
    """A message to a webhook, with the attempts to deliver it."""

    mensagem: Annotated[
        str,
        Meta(description="O `webhook-id` da mensagem.", examples=["msg_0190f3c27a527d1e9c1b3f5a2b7c8d91_42"]),
    ]
    sequencia: Annotated[int | None, Meta(description="A mudança enviada; nula num teste.", examples=[42])]
    tipo: Annotated[
        Literal["health_unit.risk_changed", "health_unit.changed", "test"] | None,
        Meta(description="O que foi enviado; nulo se a mudança já não está guardada."),
    ]
    cnes: Annotated[
        str | None, Meta(description="A unidade; nula num teste ou depois de sete dias.", examples=["9900001"])
    ]
    entregue_em: Annotated[str | None, Meta(description="Quando foi aceita; nula enquanto não.", examples=[_INSTANT])]
    ultimo_erro: Annotated[
        str | None, Meta(description="Código da última falha; nulo depois de aceita.", examples=["status-500"])
    ]
    pode_reenviar: Annotated[bool, Meta(description="Se o conteúdo ainda está guardado.", examples=[True])]
    tentativas: Annotated[list[DeliveryTry], Meta(description="As últimas 20 chamadas, da mais antiga à mais nova.")]


class Deliveries(msgspec.Struct):
    """A page of the deliveries to a webhook."""

    itens: Annotated[list[Delivery], Meta(description="Da mais nova à mais antiga.")]
    total: Annotated[int, Meta(description="Quantas há em todas as páginas.", examples=[1])]
