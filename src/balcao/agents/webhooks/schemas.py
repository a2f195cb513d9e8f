"""Wire types for webhooks and their deliveries."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints

from balcao.agents.operations import CONFIG_ID
from balcao.agents.queries import AGENT_TYPE
from balcao.core.http.models import Model
from balcao.core.values.fields import Flag, NaturalNumber, OneLine
from balcao.core.webhooks.sending import WebhookAddress

_EXAMPLE_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"
_EXAMPLE_URL = "https://agente.example/avisos"
_INSTANT = "2026-10-05T14:30:00.000000+00:00"

# the type of a message about an activation
ACTIVATED: Literal["agent.activated"] = "agent.activated"
MESSAGE_ID = r"^msg_[0-9a-f]{32}_[0-9a-f-]{1,36}$"


class WebhookPath(Model):
    webhook_id: Annotated[str, Field(pattern=CONFIG_ID)]


class MessagePath(Model):
    message: Annotated[str, Field(pattern=MESSAGE_ID)]


class WebhookBody(Model):
    """The body that creates or replaces a webhook.

    Without `agent_types`, the webhook receives activations of all agents.
    """

    url: Annotated[
        WebhookAddress,
        Field(max_length=500, description="Endereço https que recebe os avisos.", examples=[_EXAMPLE_URL]),
    ]
    description: Annotated[
        Annotated[str, StringConstraints(strip_whitespace=True, min_length=1), OneLine] | None,
        Field(max_length=200, description="De quem é, para a equipe.", examples=["Agente do portal"]),
    ] = None
    agent_types: Annotated[
        list[Annotated[str, StringConstraints(pattern=AGENT_TYPE)]],
        Field(max_length=100, description="Tipos de agente; vazia para todos.", examples=[["agentic_search"]]),
    ] = []
    active: Annotated[bool, Field(description="Se os avisos são enviados.")] = True


class Webhook(msgspec.Struct, kw_only=True):
    """A webhook without its secret."""

    id: Annotated[str, Meta(description="Identificador (UUID).", examples=[_EXAMPLE_ID])]
    url: Annotated[str, Meta(description="Endereço que recebe os avisos.", examples=[_EXAMPLE_URL])]
    description: Annotated[str | None, Meta(description="De quem é; nula se não há.", examples=["Agente do portal"])]
    agent_types: Annotated[
        list[str], Meta(description="Tipos de agente; vazia para todos.", examples=[["agentic_search"]])
    ]
    active: Annotated[
        bool, Meta(description="Se os avisos são enviados; um 410 do destino o desliga.", examples=[True])
    ]
    created_at: Annotated[str, Meta(description="Quando foi cadastrado.", examples=[_INSTANT])]
    last_delivery_at: Annotated[
        str | None, Meta(description="Quando o destino aceitou o último aviso.", examples=[_INSTANT])
    ]
    last_failure_at: Annotated[str | None, Meta(description="Quando uma tentativa falhou.", examples=[_INSTANT])]
    last_error: Annotated[
        str | None, Meta(description="Código da última falha; nulo depois de uma entrega.", examples=["status-500"])
    ]


class WebhookWithSecret(Webhook, kw_only=True):
    """A webhook with its new secret, which is shown only once."""

    secret: Annotated[
        str,
        Meta(
            description="Segredo com que os avisos são assinados; mostrado só agora.",
            examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
        ),
    ]


class Webhooks(msgspec.Struct):
    """The list of all webhooks."""

    items: Annotated[list[Webhook], Meta(description="Do mais antigo ao mais novo.")]


class DeliveriesQuery(Model):
    """The filter and the page for a list of deliveries."""

    failed: Annotated[Flag, Field(description="`true`: só as que o destino ainda não aceitou.", examples=[True])] = (
        False
    )
    limit: Annotated[NaturalNumber, Field(ge=1, le=200, description="Quantas por página, de 1 a 200.")] = 50
    page: Annotated[NaturalNumber, Field(ge=1, le=1_000_000, description="A página, a partir de 1.", examples=[1])] = 1


class DeliveryTry(msgspec.Struct):
    """One attempt to deliver a message."""

    at: Annotated[str, Meta(description="Quando foi feita.", examples=[_INSTANT])]
    error: Annotated[str | None, Meta(description="Código da falha; nulo se foi aceita.", examples=["status-500"])]


class Delivery(msgspec.Struct):
    """A message with its delivery attempts."""

    message: Annotated[
        str, Meta(description="O `webhook-id` da mensagem.", examples=["msg_0190f3c27a527d1e9c1b3f5a2b7c8d91_42"])
    ]
    activation: Annotated[int | None, Meta(description="A ativação enviada; nula num teste.", examples=[42])]
    type: Annotated[Literal["agent.activated", "test"], Meta(description="O que foi enviado.")]
    agent_type: Annotated[
        str | None, Meta(description="O tipo de agente; nulo num teste.", examples=["agentic_search"])
    ]
    delivered_at: Annotated[str | None, Meta(description="Quando foi aceita; nula enquanto não.", examples=[_INSTANT])]
    last_error: Annotated[
        str | None, Meta(description="Código da última falha; nulo depois de aceita.", examples=["status-500"])
    ]
    tries: Annotated[list[DeliveryTry], Meta(description="As últimas 20 chamadas, da mais antiga à mais nova.")]


class Deliveries(msgspec.Struct):
    """A page of a webhook's deliveries."""

    items: Annotated[list[Delivery], Meta(description="Da mais nova à mais antiga.")]
    total: Annotated[int, Meta(description="Quantas há em todas as páginas.", examples=[1])]


class Activation(msgspec.Struct):
    """The data in a message: the version of an agent that is now active.

    If messages arrive out of order, the one with the highest `activation` is current.
    """

    activation: Annotated[int, Meta(description="Número da ativação.", examples=[42])]
    agent_type: Annotated[str, Meta(description="O tipo de agente.", examples=["agentic_search"])]
    version: Annotated[int, Meta(description="A versão que vale agora.", examples=[12])]
    previous_version: Annotated[int | None, Meta(description="A que valia antes; nula se nenhuma.", examples=[11])]
    kind: Annotated[str, Meta(description="Por que mudou, como no histórico de ativações.", examples=["activate"])]
    config_id: Annotated[str, Meta(description="A configuração que vale agora.", examples=[_EXAMPLE_ID])]
    prompt_id: Annotated[str, Meta(description="As instruções que valem agora.", examples=[_EXAMPLE_ID])]
