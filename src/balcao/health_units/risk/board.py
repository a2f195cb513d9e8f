"""The risk of every unit as ready responses in memory, never older than the database has confirmed.

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
        self._responses: Mapping[str, Ready] = {}

    @property
    def fresh(self) -> bool:
        """Tell whether the database has confirmed the state recently enough for it to be shown."""
        return time.monotonic() - self.confirmed_at <= USABLE_SECONDS

    def get(self, cnes: Cnes) -> Ready:
        """Return a unit's response. Raises Unavailable when the state is too old, NotFound for an unknown unit."""
        if not self.fresh:
            raise Unavailable(
                "O risco das unidades não pôde ser confirmado. Tente de novo em instantes.",
                code="risk-unconfirmed",
                retry_after=5,
            )
        found = self._responses.get(cnes.digits)
        if found is None:
            raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
        return found

    def replace(self, risks: list[UnitRisk], confirmed_at: float) -> None:
        """Replace the whole state."""
        self._responses = {risk.cnes: Ready.of(risk) for risk in risks}
        self.confirmed_at = confirmed_at
