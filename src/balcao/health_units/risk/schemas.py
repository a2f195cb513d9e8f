"""Wire types of a unit's risk."""

from typing import Annotated

import msgspec

from balcao.health_units.situation import Risco, Status

Instant = Annotated[str, msgspec.Meta(examples=["2026-10-05T14:30:00-03:00"])]
CnesText = Annotated[str, msgspec.Meta(pattern=r"^[0-9]{7}$", examples=["9900001"])]


class Situation(msgspec.Struct):
    """`ultima_atualizacao`: whole seconds, with offset."""

    risco: Risco
    status: Status
    ultima_atualizacao: Instant


class UnitRisk(msgspec.Struct):
    """The risk of a unit (spec: health-unit risk). `ultima_notificacao` leaves out what was closed as a mistake."""

    cnes: CnesText
    notificacao_ativa: Situation | None
    ultima_notificacao: Situation | None
