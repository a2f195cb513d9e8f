"""Wire types for the response counts (rules: registry 2.13)."""

from datetime import datetime
from typing import Annotated

import msgspec
from msgspec import Meta

MOST_HOURS = 24 * 7


class ResponseCountQuery(msgspec.Struct):
    """The query parameter for response counts: how many hours to look back."""

    hours: Annotated[
        int, Meta(ge=1, le=MOST_HOURS, description="As últimas quantas horas, no máximo uma semana.", examples=[24])
    ] = 24


class ResponseCountPoint(msgspec.Struct):
    """The response counts for a period of five minutes."""

    starts_at: Annotated[datetime, Meta(description="Início (RFC 3339).", examples=["2026-03-02T12:30:00Z"])]
    responses: Annotated[int, Meta(description="Chamadas respondidas.", examples=[1830])]
    refusals: Annotated[int, Meta(description="Recusadas, com status de 400 a 499.", examples=[12])]
    faults: Annotated[int, Meta(description="Com falha, com status a partir de 500.", examples=[0])]
    slow: Annotated[int, Meta(description="Respondidas depois de meio segundo.", examples=[3])]
    mean_ms: Annotated[float, Meta(description="Tempo médio até a resposta, em milissegundos.", examples=[4.2])]
    times: Annotated[
        list[int],
        Meta(
            description="Chamadas por `bounds_ms`: até o primeiro limite, até cada um dos outros e além do último; "
            "vazia para chamadas de antes desta contagem.",
            examples=[[900, 700, 150, 50, 20, 5, 2, 0, 0, 3, 0, 0, 0]],
        ),
    ]


class ServiceResponseCounts(msgspec.Struct):
    """The response counts of one service. Periods of five minutes without calls are omitted."""

    service: Annotated[str, Meta(description="Serviço, como nas métricas.", examples=["registry"])]
    points: Annotated[list[ResponseCountPoint], Meta(description="De cinco em cinco minutos, por hora.")]


class ResponseCounts(msgspec.Struct):
    """The response counts, added up over all processes."""

    since: Annotated[datetime, Meta(description="Desde quando (RFC 3339).", examples=["2026-03-01T12:35:00Z"])]
    until: Annotated[datetime, Meta(description="Até quando (RFC 3339).", examples=["2026-03-02T12:34:10Z"])]
    bounds_ms: Annotated[
        list[float], Meta(description="Limites de `times`, em milissegundos, crescentes.", examples=[[1, 2.5, 5]])
    ]
    data: Annotated[list[ServiceResponseCounts], Meta(description="Serviços que responderam a alguém, por nome.")]
