"""The risk of every unit, held in each process as ready answers and never older than can be vouched for.

rules: health_units 5: freshness and honesty come before speed.
"""

import time
from collections.abc import Mapping

from balcao.core.errors import NotFound, Unavailable
from balcao.core.http.responses import Ready
from balcao.core.values.cnes import Cnes
from balcao.health_units.risk.schemas import UnitRisk

COMPARE_SECONDS = 30.0
USABLE_SECONDS = 120.0


class RiskBoard:
    """`confirmed_at`: the clock (monotonic, seconds) when the database last confirmed this state."""

    def __init__(self) -> None:
        self.confirmed_at = float("-inf")
        self._answers: Mapping[str, Ready] = {}

    @property
    def fresh(self) -> bool:
        return time.monotonic() - self.confirmed_at <= USABLE_SECONDS

    def answer(self, cnes: Cnes) -> Ready:
        """Raises Unavailable when the state is too old to be told, NotFound for an unknown unit."""
        if not self.fresh:
            raise Unavailable(
                "O risco das unidades não pôde ser confirmado. Tente de novo em instantes.",
                code="risk-unconfirmed",
                retry_after=5,
            )
        found = self._answers.get(cnes.digits)
        if found is None:
            raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
        return found

    def replace(self, risks: list[UnitRisk], confirmed_at: float) -> None:
        """Swaps the whole state."""
        self._answers = {risk.cnes: Ready.of(risk) for risk in risks}
        self.confirmed_at = confirmed_at
