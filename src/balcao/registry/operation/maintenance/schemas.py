"""Wire types for maintenance (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.registry.operation.members import ChangedAt, ChangedBy, EndsAt, ReasonInBody

LONGEST_MESSAGE = 300
MOST_MINUTES = 7 * 24 * 60
MOST_DAYS_AHEAD = 90


class MaintenanceState(msgspec.Struct):
    """A service that answers calls only with its maintenance message, now or from `begins_at`."""

    service: Annotated[str, Meta(description="Serviço.", examples=["search"])]
    message: Annotated[str, Meta(description="A frase que quem chama recebe.", examples=["A busca volta às 14h."])]
    since: ChangedAt
    begins_at: Annotated[
        datetime | None,
        Meta(description="Quando começa, se é planejada (RFC 3339); nulo se já vale.", examples=[None]),
    ]
    ends_at: EndsAt
    by: ChangedBy


class Maintenances(msgspec.Struct):
    """The services in maintenance, and the services with planned maintenance."""

    data: Annotated[list[MaintenanceState], Meta(description="Serviços em manutenção, por nome.")]
    planned: Annotated[list[MaintenanceState], Meta(description="Manutenções planejadas, por nome do serviço.")]
    services: Annotated[
        list[str],
        Meta(description="Todos os serviços que podem entrar em manutenção.", examples=[["registry", "search"]]),
    ]


class MaintenanceBody(msgspec.Struct):
    """Maintenance to start or to plan, or a new message and end for running maintenance."""

    message: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=LONGEST_MESSAGE,
            description="A frase que quem chama recebe, para pessoas: qualquer um a lê.",
            examples=["A busca volta às 14h."],
        ),
    ]
    minutes: Annotated[
        int, Meta(ge=1, le=MOST_MINUTES, description="Por quantos minutos, no máximo uma semana.", examples=[90])
    ]
    reason: ReasonInBody
    begins_at: Annotated[
        Annotated[datetime, Meta(tz=True)] | None,
        Meta(
            description=f"Quando começa (RFC 3339), a no máximo {MOST_DAYS_AHEAD} dias; sem ele, agora.",
            examples=[None],
        ),
    ] = None
