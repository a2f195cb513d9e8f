"""Test rounds against a whole city installation.

In a round, clients use every resource during one fault, and then the round checks their history.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import msgspec

from balcao.core.database.reloader import LONGEST_PAUSE_SECONDS
from tests.histories.city import City
from tests.histories.city_faults import Break
from tests.histories.invariants import examine
from tests.histories.recorder import Recorder
from tests.histories.trial import BY_INVARIANTS, Verdict, all_resources, judge

Wait: TypeAlias = Callable[[Recorder], Awaitable[None]]

MOST_FAILURES = 2  # the run ends after this many failed rounds in a row
POSSIBLE, UNASKED = "possible", "no operation"


class Round(msgspec.Struct):
    """The result of a round: its operations by resource and outcome, the verdicts, and the broken invariants.

    The fault lasted from `broken_from` until `broken_until`, in seconds of the monotonic clock. `judged` contains the
    checker's verdicts other than `possible`.
    """

    fault: str
    seed: int
    broken_from: float
    broken_until: float
    outcomes: dict[str, dict[str, int]]
    verdicts: dict[str, str]
    broken: list[str]
    history: Path
    judged: list[Verdict] = []
    events: dict[str, int] = {}  # logged warnings and errors, counted by event
    failure: str = ""  # the error that ended the round before it was judged

    @property
    def is_possible(self) -> bool:
        """Whether the checker and the invariants found no fault in the round."""
        return self.verdict == POSSIBLE

    @property
    def verdict(self) -> str:
        """A short description of the result."""
        wrong = [f"{resource}: {verdict}" for resource, verdict in self.verdicts.items() if verdict != POSSIBLE]
        broken = sorted({line.partition(":")[0] for line in self.broken})
        ended = ["not judged"] if self.failure else []
        return ", ".join((*ended, *wrong, *(f"invariant {name}" for name in broken))) or POSSIBLE

    def count(self, outcome: str) -> int:
        return sum(counts.get(outcome, 0) for counts in self.outcomes.values())


class Clients(msgspec.Struct, frozen=True):
    """The load on each resource: the number of clients and keys, and the average pause in seconds between two calls."""

    of_each: int
    keys: int = 12
    think: float = 0.0


class Rounds:
    """A series of rounds on a city. Each round uses new keys, and writes its history to `folder`."""

    def __init__(self, city: City, folder: Path, seed: int, clients: Clients) -> None:
        self._city = city
        self._folder = folder
        self._seed = seed
        self._clients = clients
        self._played = 0
        self._failures = 0

    @property
    def are_over(self) -> bool:
        """Whether too many rounds in a row have failed."""
        return self._failures >= MOST_FAILURES

    def play(self, name: str, bring_about: Break, before: Wait, after: Wait) -> Round:
        """Let clients work before, during and after the fault, and judge the history.

        Return a failed round on any error.
        """
        self._played += 1
        seed, history = self._seed + self._played, self._folder / f"{self._played:03} {name}.jsonl"
        began = time.monotonic()
        try:
            one = self._play(name, seed, history, bring_about, before, after)
        except Exception as failure:
            self._failures += 1
            return Round(name, seed, began, time.monotonic(), {}, {}, [], history, failure=repr(failure))
        self._failures = 0
        return one

    def _play(self, name: str, seed: int, history: Path, bring_about: Break, before: Wait, after: Wait) -> Round:
        broken = list[float]()
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
        # All parts are back when the fault ends. After that, each process polls within LONGEST_PAUSE_SECONDS.
        wrong = examine(self._city.settings, history, until - since + LONGEST_PAUSE_SECONDS)
        judged = judge(history)
        counts, verdicts = sum_up(outcomes, judged)
        broken_rules = [f"{one.invariant}: {one.where}" for one in wrong]
        not_possible = [one for one in judged if one.verdict != POSSIBLE]
        return Round(name, seed, since, until, counts, verdicts, broken_rules, history, not_possible, dict(events))


def sum_up(
    outcomes: Mapping[tuple[str, str], int], judged: Sequence[Verdict]
) -> tuple[dict[str, dict[str, int]], dict[str, str]]:
    """Return the number of operations by resource and outcome, and the verdict for each resource.

    A resource without operations proves nothing, so its verdict is `no operation`.
    """
    counts: dict[str, dict[str, int]] = {resource.name: {} for resource in all_resources(range(1))}
    for (resource, outcome), number in outcomes.items():
        counts[resource][outcome] = number
    asked = [resource for resource, count in counts.items() if count.keys() & {"known", "unknown"}]
    verdicts = dict.fromkeys(counts, UNASKED) | {name: POSSIBLE for name in BY_INVARIANTS if name in asked}
    return counts, verdicts | {one.resource: one.verdict for one in judged}
