"""Wire types for the webhooks that notify senders about opt-outs."""

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

OPTED_OUT: Literal["recipient.opted_out"] = "recipient.opted_out"
_ID = "0190f3c2-7a52-7d1e-9c1b-3f5a2b7c8d91"
_URL = "https://envios.example/recusas"

Url: TypeAlias = Annotated[
    str, Meta(description="Endereço https que recebe os avisos, até 500 caracteres.", examples=[_URL])
]
Description: TypeAlias = Annotated[
    str | None, Meta(description="De quem é, para a equipe, até 200 caracteres.", examples=["Sistema de envios"])
]
CategoryIds: TypeAlias = Annotated[
    list[str], Meta(description="Categorias que interessam; vazia para todas.", examples=[["health"]])
]
Active: TypeAlias = Annotated[bool, Meta(description="Se os avisos são enviados.", examples=[True])]


class OptOutWebhookBody(msgspec.Struct):
    """The body that creates or replaces a webhook.

    Without `categories`, the webhook receives opt-outs from all categories.
    """

    url: Url
    description: Description = None
    categories: CategoryIds = msgspec.field(default_factory=list)
    active: Active = True

    @property
    def model_fields_set(self) -> set[str]:
        """The values of a webhook that the audit trail records."""
        return set(self.__struct_fields__)

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return the members as JSON values."""
        return msgspec.structs.asdict(self)


class OptOutWebhook(msgspec.Struct, kw_only=True):
    """A webhook without its secret."""

    id: Annotated[str, Meta(description="Identificador (UUID).", examples=[_ID])]
    url: Url
    description: Description
    categories: CategoryIds
    active: Annotated[
        bool, Meta(description="Se os avisos são enviados; um 410 do destino o desliga.", examples=[True])
    ]
    created_at: Annotated[str, Meta(description="Quando foi cadastrado.", examples=["2026-03-02T14:05:09Z"])]
    last_delivery_at: Annotated[
        str | None, Meta(description="Quando o destino aceitou o último aviso.", examples=["2026-03-02T14:05:09Z"])
    ]
    last_failure_at: Annotated[
        str | None, Meta(description="Quando uma tentativa falhou.", examples=["2026-03-02T14:05:09Z"])
    ]
    last_error: Annotated[
        str | None, Meta(description="Código da última falha; nulo depois de uma entrega.", examples=["status-500"])
    ]


class OptOutWebhookWithSecret(OptOutWebhook, kw_only=True):
    """A webhook with its new secret, which is shown only once."""

    secret: Annotated[
        str,
        Meta(
            description="Segredo com que os avisos são assinados; mostrado só agora.",
            examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="],
        ),
    ]


class OptOutWebhooks(msgspec.Struct):
    """All webhooks, oldest first."""

    data: Annotated[list[OptOutWebhook], Meta(description="Do mais antigo ao mais novo.")]


class OptOut(msgspec.Struct):
    """The data in a message to a sender: the recipients who opted out, and what they opted out of."""

    opt_out: Annotated[int, Meta(description="Número do aviso. A ordem das recusas é a de `at`.", examples=[42])]
    scope: Annotated[
        Literal["all", "category", "phone"],
        Meta(description="`all`: todas as mensagens; `category`: uma categoria; `phone`: só o telefone."),
    ]
    category: Annotated[str | None, Meta(description="A categoria; nula nos outros casos.", examples=["health"])]
    recipients: Annotated[
        list[str],
        Meta(
            description=(
                "As `reference` dos destinatários, como a consulta as deu: o CPF e os telefones da pessoa, ou só o "
                "telefone."
            ),
            examples=[["5mXv0Gq0sJ3mK1cJ0m1B4g"]],
        ),
    ]
    at: Annotated[datetime, Meta(description="Quando passou a valer.", examples=["2026-03-02T14:05:09.120000Z"])]
