"""Every unit as the database last confirmed it, in memory: its risk as ready responses, its record, its openings.

rules: health_units 5: freshness and honesty come before speed.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from balcao.core.errors import NotFound, Unavailable
from balcao.core.values.cnes import Cnes
from balcao.core.values.ready import Ready
from balcao.health_units.opening import Timetable
from balcao.health_units.records import UnitRecord
from balcao.health_units.risk.schemas import UnitRisk, UnitRisks

COMPARE_SECONDS = 30.0
USABLE_SECONDS = 120.0


@dataclass(frozen=True)
class UnitState:
    """A unit; `opened_at` is the instant of the active notification's opening, None without one."""

    record: UnitRecord
    folded_name: str
    risk: UnitRisk
    opened_at: datetime | None
    timetable: Timetable | None
    ready: Ready


@dataclass(frozen=True)
class Picture:
    """All units at one moment: what holds after change number `sequence`, which was published at `changed_at`.

    `holidays` are those that close units.
    """

    sequence: int
    changed_at: str
    states: Mapping[str, UnitState]
    holidays: frozenset[date]


_NOTHING = Picture(0, "", {}, frozenset())


class UnitBoard:
    """`confirmed_at`: the clock (monotonic, seconds) when the database last confirmed this picture."""

    def __init__(self) -> None:
        self.confirmed_at = float("-inf")
        self._asked_at = float("-inf")
        self._picture = _NOTHING
        self._snapshot = _show_risks(_NOTHING, [])

    @property
    def fresh(self) -> bool:
        """Tell whether the database has confirmed the picture recently enough for it to be shown."""
        return time.monotonic() - self.confirmed_at <= USABLE_SECONDS

    @property
    def sequence(self) -> int:
        """Return the number of the last change in the picture, however old that is."""
        return self._picture.sequence

    @property
    def picture(self) -> Picture:
        """Return all units. Raises Unavailable when they were not confirmed recently enough."""
        self.require_fresh()
        return self._picture

    @property
    def snapshot(self) -> Ready:
        """Return the risk of every active unit. Raises as `picture`."""
        self.require_fresh()
        return self._snapshot

    def get(self, cnes: Cnes) -> UnitState:
        """Return a unit. Raises as `picture`, and NotFound for an unknown one."""
        found = self.picture.states.get(cnes.digits)
        if found is None:
            raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
        return found

    def choose(self, codes: Iterable[str]) -> Ready:
        """Return the risk of these units, in order and each once. Raises as `picture`."""
        picture = self.picture
        wanted = sorted(set(codes))
        unknown = [code for code in wanted if code not in picture.states]
        return _show_risks(picture, [picture.states[code] for code in wanted if code in picture.states], unknown)

    def replace(self, picture: Picture, asked_at: float) -> None:
        """Replace the whole picture by one that the database was asked for at `asked_at` (monotonic, seconds).

        Of two that were on the way at once the one that was asked for first comes too late: it may lack what the other
        has, and nobody would tell of that again.
        """
        if asked_at < self._asked_at:
            return
        self._picture = picture
        self._snapshot = _show_risks(
            picture, [state for _, state in sorted(picture.states.items()) if state.record.ativa]
        )
        self.confirmed_at = self._asked_at = asked_at

    def require_fresh(self) -> None:
        """Raise Unavailable when the picture was not confirmed recently enough to be shown."""
        if not self.fresh:
            raise Unavailable(
                "O risco das unidades não pôde ser confirmado. Tente de novo em instantes.",
                code="risk-unconfirmed",
                retry_after=5,
            )


def _show_risks(picture: Picture, states: Sequence[UnitState], unknown: Sequence[str] = ()) -> Ready:
    """Return the risks as one list: the same bytes in every process that knows the same changes."""
    risks = [state.risk for state in states]
    return Ready.of(UnitRisks(risks, list(unknown), picture.sequence, picture.changed_at))
