"""The board: all units in memory, as last read from the database, with prepared responses about their risk.

A stale board raises an error instead of showing a risk that may have changed (rules: health_units 5).
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
    """A unit on the board. `opened_at` is the opening time of its active notification, or None if it has none."""

    record: UnitRecord
    folded_name: str
    risk: UnitRisk
    opened_at: datetime | None
    timetable: Timetable | None
    ready: Ready


@dataclass(frozen=True)
class BoardSnapshot:
    """All units as of the change with the number `sequence`, which was published at `changed_at`.

    `holidays` are the days on which units are closed by default.
    """

    sequence: int
    changed_at: str
    states: Mapping[str, UnitState]
    holidays: frozenset[date]


_NOTHING = BoardSnapshot(0, "", {}, frozenset())


class UnitBoard:
    """The latest snapshot of all units.

    `confirmed_at` is the monotonic time, in seconds, at which the last refresh from the database started.
    """

    def __init__(self) -> None:
        self.confirmed_at = float("-inf")
        self._asked_at = float("-inf")
        self._snapshot = _NOTHING
        self._all_risks = _show_risks(_NOTHING, [])

    @property
    def fresh(self) -> bool:
        """Whether the database confirmed the snapshot recently enough to show it."""
        return time.monotonic() - self.confirmed_at <= USABLE_SECONDS

    @property
    def sequence(self) -> int:
        """The number of the last change in the snapshot, even if the snapshot is stale."""
        return self._snapshot.sequence

    @property
    def snapshot(self) -> BoardSnapshot:
        """Return all units. Raises Unavailable if the snapshot is stale."""
        self.require_fresh()
        return self._snapshot

    @property
    def all_risks(self) -> Ready:
        """Return the response about all active units. Raises Unavailable if the snapshot is stale."""
        self.require_fresh()
        return self._all_risks

    def get(self, cnes: Cnes) -> UnitState:
        """Return a unit. Raises NotFound if it does not exist, and Unavailable if the snapshot is stale."""
        found = self.snapshot.states.get(cnes.digits)
        if found is None:
            raise NotFound("Unidade de saúde não encontrada.", code="unit-not-found")
        return found

    def choose(self, codes: Iterable[str]) -> Ready:
        """Return the response about these units, sorted by CNES and without duplicates.

        Raises Unavailable if the snapshot is stale.
        """
        snapshot = self.snapshot
        wanted = sorted(set(codes))
        unknown = [code for code in wanted if code not in snapshot.states]
        return _show_risks(snapshot, [snapshot.states[code] for code in wanted if code in snapshot.states], unknown)

    def replace(self, snapshot: BoardSnapshot, asked_at: float) -> None:
        """Replace the snapshot. The query for the new snapshot started at `asked_at` (monotonic, in seconds).

        If two refreshes overlap, the result of the earlier refresh is ignored if it finishes last. It may lack a change
        that the later refresh has read, and no further notification would correct it.
        """
        if asked_at < self._asked_at:
            return
        self._snapshot = snapshot
        self._all_risks = _show_risks(
            snapshot, [state for _, state in sorted(snapshot.states.items()) if state.record.ativa]
        )
        self.confirmed_at = self._asked_at = asked_at

    def require_fresh(self) -> None:
        """Raise Unavailable unless the database confirmed the snapshot recently enough to show it."""
        if not self.fresh:
            raise Unavailable(
                "O risco das unidades não pôde ser confirmado. Tente de novo em instantes.",
                code="risk-unconfirmed",
                retry_after=5,
            )


def _show_risks(snapshot: BoardSnapshot, states: Sequence[UnitState], unknown: Sequence[str] = ()) -> Ready:
    """Return the response about these units. Processes that have read the same changes produce the same bytes."""
    risks = [state.risk for state in states]
    return Ready.of(UnitRisks(risks, list(unknown), snapshot.sequence, snapshot.changed_at))
