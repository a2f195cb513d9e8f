"""Rounds on a city: clients of every resource, one fault in the middle of their work, and what their history says."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TypeAlias

import msgspec

from balcao.core.database.reloader import LONGEST_PAUSE_SECONDS
from tests.histories.city import City
from tests.histories.city_faults import Break
from tests.histories.invariants import examine
from tests.histories.recorder import Recorder
from tests.histories.rights import LIMIT_SECONDS
from tests.histories.trial import BY_INVARIANTS, Verdict, all_resources, judge

Wait: TypeAlias = Callable[[Recorder], Awaitable[None]]


class Round(msgspec.Struct):
    """What one round showed: operations by resource and outcome, verdicts, and invariants that do not hold.

    `broken_from` and `broken_until` are the seconds of the monotonic clock between which the fault was.
    """

    fault: str
    seed: int
    broken_from: float
    broken_until: float
    outcomes: dict[str, dict[str, int]]
    verdicts: dict[str, str]
    broken: list[str]
    events: dict[str, int] = {}  # what the programs logged as a warning or an error, by its name
    failure: str = ""  # what ended it before it could be judged

    @property
    def is_possible(self) -> bool:
        """Return whether nothing in it is wrong."""
        return self.verdict == "possible"

    @property
    def verdict(self) -> str:
        """Return what was found, in a word or a few."""
        wrong = [f"{resource}: {verdict}" for resource, verdict in self.verdicts.items() if verdict != "possible"]
        broken = sorted({line.partition(":")[0] for line in self.broken})
        ended = ["not judged"] if self.failure else []
        return ", ".join((*ended, *wrong, *(f"invariant {name}" for name in broken))) or "possible"

    def count(self, outcome: str) -> int:
        return sum(counts.get(outcome, 0) for counts in self.outcomes.values())


class Clients(msgspec.Struct, frozen=True):
    """How many there are of each resource, on how many keys, and about how many seconds each thinks between calls."""

    of_each: int
    keys: int = 12
    think: float = 0.0


class Rounds:
    """Plays rounds on a city; each has keys of its own, and leaves its history in the folder."""

    def __init__(self, city: City, folder: Path, seed: int, clients: Clients) -> None:
        self._city = city
        self._folder = folder
        self._seed = seed
        self._clients = clients
        self._played = 0

    def list_histories(self) -> list[Path]:
        """Return the histories of all rounds so far, by their order."""
        return sorted(self._folder.glob("*.jsonl"))

    def play(self, name: str, bring_about: Break, before: Wait, after: Wait) -> Round:
        """Let the clients work before the fault, through it and after it; then judge."""
        self._played += 1
        history = self._folder / f"{self._played:03} {name}.jsonl"
        seed, broken = self._seed + self._played, list[float]()
        keys = range(self._clients.keys * self._played, self._clients.keys * (self._played + 1))

        async def work() -> Mapping[tuple[str, str], int]:
            recorder = Recorder(self._city.settings, history, self._city.transport())

            async def break_it() -> None:
                await before(recorder)
                self._city.list_new_events()
                broken.append(time.monotonic())
                await bring_about(self._city)
                broken.append(time.monotonic())
                await after(recorder)

            try:
                await recorder.run(all_resources(keys), self._clients.of_each, seed, break_it, self._clients.think)
            finally:
                await recorder.close()
            return recorder.outcomes

        outcomes = asyncio.run(work())
        events = self._city.list_new_events()
        since, until = broken
        # Whatever was away came back when the fault was over, and each process looks again after a pause.
        wrong = examine(self._city.settings, history, LIMIT_SECONDS + (until - since) + LONGEST_PAUSE_SECONDS)
        counts, verdicts = _sum_up(outcomes, judge(history))
        broken_rules = [f"{one.invariant}: {one.where}" for one in wrong]
        return Round(name, seed, since, until, counts, verdicts, broken_rules, dict(events))


def _sum_up(
    outcomes: Mapping[tuple[str, str], int], judged: list[Verdict]
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Return operations by resource and outcome, and the verdicts by resource."""
    counts: dict[str, dict[str, int]] = {}
    for (resource, outcome), number in outcomes.items():
        counts.setdefault(resource, {})[outcome] = number
    verdicts = {one.resource: one.verdict for one in judged}
    by_invariants = {resource: "possible" for resource in BY_INVARIANTS if resource in counts}
    return counts, by_invariants | verdicts
