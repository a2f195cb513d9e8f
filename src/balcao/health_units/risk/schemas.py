"""Wire types of a unit's risk."""

from typing import Annotated

import msgspec
from msgspec import Meta

from balcao.health_units.situation import Risco, Status

Instant = Annotated[
    str,
    Meta(
        description="Instante da última mudança ou confirmação, em segundos inteiros e com fuso.",
        examples=["2026-10-05T14:30:00-03:00"],
    ),
]
CnesText = Annotated[
    str, Meta(pattern=r"^[0-9]{7}$", description="CNES da unidade: sete dígitos.", examples=["9900001"])
]


class Situation(msgspec.Struct):
    """`ultima_atualizacao`: whole seconds, with offset."""

    risco: Annotated[Risco, Meta(description="Cor do risco, em ordem crescente: Verde, Amarelo, Laranja, Vermelho.")]
    status: Annotated[Status, Meta(description="Se a notificação está ativa ou foi encerrada.")]
    ultima_atualizacao: Instant


class UnitRisk(msgspec.Struct):
    """The risk of a unit (spec: health-unit risk). `ultima_notificacao` leaves out what was closed as a mistake."""

    cnes: CnesText
    notificacao_ativa: Annotated[
        Situation | None, Meta(description="A notificação em vigor; nula quando a unidade funciona normalmente.")
    ]
    ultima_notificacao: Annotated[
        Situation | None, Meta(description="A mais recente, ativa ou encerrada; nula se nunca houve.")
    ]
