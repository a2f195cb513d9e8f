"""Wire types for a unit's risk."""

from typing import Annotated

import msgspec
from msgspec import Meta
from pydantic import Field, StringConstraints

from balcao.core.http.models import Model
from balcao.core.values.cnes import PATTERN
from balcao.health_units.records import CnesText
from balcao.health_units.situation import Risco, Status

Instant = Annotated[
    str,
    Meta(
        description="Instante da última mudança ou confirmação, em segundos inteiros e com fuso.",
        examples=["2026-10-05T14:30:00-03:00"],
    ),
]


class Situation(msgspec.Struct):
    """The part of a notification that a unit's risk contains."""

    risco: Annotated[Risco, Meta(description="Cor do risco, em ordem crescente: Verde, Amarelo, Laranja, Vermelho.")]
    status: Annotated[Status, Meta(description="Se a notificação está ativa ou foi encerrada.")]
    ultima_atualizacao: Instant


class UnitRisk(msgspec.Struct):
    """The risk of a unit (spec: health-unit risk). `ultima_notificacao` ignores notifications closed as a mistake."""

    cnes: CnesText
    notificacao_ativa: Annotated[
        Situation | None, Meta(description="A notificação em vigor; nula quando a unidade funciona normalmente.")
    ]
    ultima_notificacao: Annotated[
        Situation | None, Meta(description="A mais recente, ativa ou encerrada; nula se nunca houve.")
    ]


class UnitRisks(msgspec.Struct):
    """The risk of several units."""

    itens: Annotated[list[UnitRisk], Meta(description="Por CNES, cada unidade uma vez.")]
    desconhecidas: Annotated[
        list[CnesText], Meta(description="Códigos pedidos que não são de unidade nenhuma.", examples=[["9999999"]])
    ]
    sequencia: Annotated[
        int, Meta(description="Número da última mudança contida; continue dele em `/unidades/eventos`.", examples=[42])
    ]
    gerado_em: Annotated[
        str, Meta(description="Instante dessa última mudança, com fuso.", examples=["2026-10-05T14:30:00-03:00"])
    ]


class RisksQuery(Model):
    """The codes of the units to return."""

    cnes: Annotated[
        list[Annotated[str, StringConstraints(pattern=PATTERN)]],
        Field(
            max_length=100,
            description="CNES, repetido para até 100 unidades; sem nenhum vêm todas as ativas.",
            examples=[["9900001"]],
        ),
    ] = []
