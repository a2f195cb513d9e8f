"""Rounds on a city: clients of every resource, one fault in the middle of their work, and what their history says."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

import msgspec

from balcao.core.database.reloader import LONGEST_PAUSE_SECONDS
from tests.histories.city import City
from tests.histories.city_faults import Fault
from tests.histories.invariants import Broken, examine
from tests.histories.nemesis import answered
from tests.histories.recorder import Recorder
from tests.histories.rights import LIMIT_SECONDS
from tests.histories.trial import BY_INVARIANTS, Verdict, all_resources, judge

KEYS = 12  # of each resource, others in each round


class Round(msgspec.Struct):
    """What one round showed: operations by resource and outcome, verdicts, and invariants that do not hold."""

    fault: str
    seed: int
    seconds: float
    outcomes: dict[str, dict[str, int]]
    verdicts: dict[str, str]
    broken: list[str]

    @property
    def is_possible(self) -> bool:
        """Return whether nothing in it is wrong."""
        return not self.broken and set(self.verdicts.values()) == {"possible"}

    def count(self, outcome: str) -> int:
        return sum(counts.get(outcome, 0) for counts in self.outcomes.values())


class Rounds:
    """Plays rounds on a city; each has keys of its own, and leaves its history in the folder."""

    def __init__(self, city: City, folder: Path, seed: int, clients: int) -> None:
        self._city = city
        self._folder = folder
        self._seed = seed
        self._clients = clients
        self._played = 0

    def play(self, name: str, fault: Fault, answers: int) -> Round:
        """Let the clients be answered so often before the fault and after it; then judge."""

        async def nemesis(recorder: Recorder) -> None:
            await answered(recorder, answers)
            await fault.bring_about(self._city)
            await answered(recorder, answers)

        return self.play_with(name, nemesis)

    def play_with(self, name: str, nemesis: Callable[[Recorder], Awaitable[None]]) -> Round:
        """Let the clients work until the nemesis is done; then judge."""
        self._played += 1
        history = self._folder / f"{self._played:03} {name}.jsonl"
        keys = range(KEYS * self._played, KEYS * (self._played + 1))
        seconds = 0.0

        async def work() -> Mapping[tuple[str, str], int]:
            recorder = Recorder(self._city.settings, history, self._city.transport())

            async def break_it() -> None:
                nonlocal seconds
                began = time.monotonic()
                await nemesis(recorder)
                seconds = time.monotonic() - began

            try:
                await recorder.run(all_resources(keys), self._clients, self._seed + self._played, break_it)
            finally:
                await recorder.close()
            return recorder.outcomes

        outcomes = asyncio.run(work())
        # Whatever was away came back within the round, and each process looks again after a pause.
        broken = examine(self._city.settings, history, LIMIT_SECONDS + seconds + LONGEST_PAUSE_SECONDS)
        return _sum_up(name, self._seed + self._played, seconds, outcomes, judge(history), broken)


def _sum_up(
    name: str,
    seed: int,
    seconds: float,
    outcomes: Mapping[tuple[str, str], int],
    judged: list[Verdict],
    broken: list[Broken],
) -> Round:
    counts: dict[str, dict[str, int]] = {}
    for (resource, outcome), number in Counter(outcomes).items():
        counts.setdefault(resource, {})[outcome] = number
    verdicts = {one.resource: one.verdict for one in judged}
    by_invariants = {resource: "possible" for resource in BY_INVARIANTS if resource in counts}
    where = [f"{one.invariant}: {one.where}" for one in broken]
    return Round(name, seed, seconds, counts, by_invariants | verdicts, where)
