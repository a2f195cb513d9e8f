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
class BoardSnapshot:
    """All units at one moment: what holds after change number `sequence`, which was published at `changed_at`.

    `holidays` are those that close units.
    """

    sequence: int
    changed_at: str
    states: Mapping[str, UnitState]
    holidays: frozenset[date]


_NOTHING = BoardSnapshot(0, "", {}, frozenset())


class UnitBoard:
    """`confirmed_at`: the clock (monotonic, seconds) when the database last confirmed this snapshot."""

    def __init__(self) -> None:
        self.confirmed_at = float("-inf")
        self._asked_at = float("-inf")
        self._snapshot = _NOTHING
        self._all_risks = _show_risks(_NOTHING, [])

    @property
    def fresh(self) -> bool:
        """Tell whether the database has confirmed the snapshot recently enough for it to be shown."""
        return time.monotonic() - self.confirmed_at <= USABLE_SECONDS

    @property
    def sequence(self) -> int:
        """Return the number of the last change in the snapshot, however old that is."""
        return self._snapshot.sequence

    @property
    def snapshot(self) -> BoardSnapshot:
        """Return all units. Raises Unavailable when they were not confirmed recently enough."""
        self.require_fresh()
        return self._snapshot

    @property
    def all_risks(self) -> Ready:
        """Return the risk of every active unit. Raises as `snapshot`."""
        self.require_fresh()
        return self._all_risks

    def get(self, cnes: Cnes) -> UnitState:
        """Return a unit. Raises as `snapshot`, and NotFound for an unknown one."""
        found = self.snapshot.states.get(cnes.digits)
        if found is None:
            raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
        return found

    def choose(self, codes: Iterable[str]) -> Ready:
        """Return the risk of these units, in order and each once. Raises as `snapshot`."""
        snapshot = self.snapshot
        wanted = sorted(set(codes))
        unknown = [code for code in wanted if code not in snapshot.states]
        return _show_risks(snapshot, [snapshot.states[code] for code in wanted if code in snapshot.states], unknown)

    def replace(self, snapshot: BoardSnapshot, asked_at: float) -> None:
        """Replace the whole snapshot by one that the database was asked for at `asked_at` (monotonic, seconds).

        Of two that were on the way at once the one that was asked for first comes too late: it may lack what the other
        has, and nobody would tell of that again.
        """
        if asked_at < self._asked_at:
            return
        self._snapshot = snapshot
        self._all_risks = _show_risks(
            snapshot, [state for _, state in sorted(snapshot.states.items()) if state.record.ativa]
        )
        self.confirmed_at = self._asked_at = asked_at

    def require_fresh(self) -> None:
        """Raise Unavailable when the snapshot was not confirmed recently enough to be shown."""
        if not self.fresh:
            raise Unavailable(
                "O risco das unidades não pôde ser confirmado. Tente de novo em instantes.",
                code="risk-unconfirmed",
                retry_after=5,
            )


def _show_risks(snapshot: BoardSnapshot, states: Sequence[UnitState], unknown: Sequence[str] = ()) -> Ready:
    """Return the risks as one list: the same bytes in every process that knows the same changes."""
    risks = [state.risk for state in states]
    return Ready.of(UnitRisks(risks, list(unknown), snapshot.sequence, snapshot.changed_at))
