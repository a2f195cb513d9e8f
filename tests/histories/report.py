"""The page of a long run: what was told, how fast, how much memory it took, and whether all of it can be."""

import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from tests.histories.invariants import NANOSECONDS, read_history
from tests.histories.plots import Line, Mark, plot
from tests.histories.rounds import Round

BUCKET_SECONDS = 10
FAST_SECONDS = 0.5  # the service level's
PAGE = "hours.md"
TEXT = """\
# Proofs: hours of everything

Index and machine: [proofs](../proofs.md). What a history is, who judges it, and by what: [histories](histories.md); the
installation and its faults: [each resource under each fault](histories-faults.md). This page and its plots are written
by the command that plays it, `make hours MINUTES=120`.

Two hosts behind nginx, a worker, two PostgreSQL servers of which the second is a synchronous copy, Redis, CRM and
identity provider; clients of every resource, all the time; each minute a fault by chance, and the upgrade in the
middle, under load: migrations first, then one process after the other. Between two minutes the clients rest while the
one before is judged.

- **Last run**: {setting}
- **Length**: {minutes:.0f} minutes, {rounds} rounds
- **Verdict**: {verdict}
- **Operations**: {operations:,}, {unknown:,} of unknown outcome, {refused:,} more refused
- **Availability**: {available:.2f} % of {answers:,} answers were no 5xx, and {cut:,} calls got none; the
  [service level](../operate/monitoring.md#service-levels), 99.9 % of a month, leaves room for one such minute in a
  thousand, not for one a minute. Within half a second {fast:.2f} % were answered
- **Workers** that ended and were started again, those that were killed included: {restarts}

![Operations](hours-operations.svg)

![Times](hours-times.svg)

![Memory](hours-memory.svg)

{memory}

| Minute | Fault | operations | unknown | refused | verdict |
| --- | --- | --- | --- | --- | --- |
{table}
"""


class Played(NamedTuple):
    """A round, and the second at which it began."""

    second: float
    round: Round


class Call(NamedTuple):
    """What a report needs of a call: when it was made, seconds until the end, whether it is known, and the status."""

    second: float
    took: float
    is_known: bool
    status: int


@dataclass
class Report:
    """What was played, the memory by second of the clock, and the histories; `began` is on the same clock."""

    began: float
    played: Sequence[Played]
    memory: Sequence[tuple[float, Mapping[str, float]]]
    histories: Iterable[Path]
    worker_restarts: int

    @property
    def is_possible(self) -> bool:
        """Return whether nothing that was told is wrong."""
        return all(one.round.is_possible for one in self.played)

    def list_faults(self) -> list[str]:
        """Return what cannot be, a line each."""
        wrong = [one.round for one in self.played if not one.round.is_possible]
        return [f"{one.fault} {one.seed}: {one.verdicts} {one.broken[:3]}" for one in wrong]

    @cached_property
    def calls(self) -> list[Call]:
        """Return every call that was made, in the order of the histories."""
        return [
            Call(
                one.call / NANOSECONDS - self.began,
                (one.answered - one.call) / NANOSECONDS,
                one.output is not None,
                one.status,
            )
            for history in self.histories
            for one in read_history(history)
        ]

    def write(self, folder: Path, setting: str) -> None:
        """Write the page and its plots."""
        marks = [Mark(one.second, one.round.fault) for one in self.played]
        (folder / "hours-operations.svg").write_text(
            plot("Operations", "a second", self._count_operations(), marks), "utf-8"
        )
        (folder / "hours-times.svg").write_text(plot("Times until the answer", "s", self._time(), marks), "utf-8")
        (folder / "hours-memory.svg").write_text(plot("Memory", "MB", self._trace_memory(), marks), "utf-8")
        (folder / PAGE).write_text(self._describe(setting), "utf-8")

    def _describe(self, setting: str) -> str:
        answers = [one for one in self.calls if one.status]
        good = sum(one.status < 500 for one in answers)
        rounds = [one.round for one in self.played]
        wrong = sum(not one.is_possible for one in rounds)
        return TEXT.format(
            setting=setting,
            minutes=max(one.second + one.took for one in self.calls) / 60,
            rounds=len(rounds),
            verdict="lost 0, doubled 0, anomalies 0" if not wrong else f"{wrong} rounds with an anomaly",
            operations=len(self.calls),
            unknown=sum(one.count("unknown") for one in rounds),
            refused=sum(one.count("refused") for one in rounds),
            available=100 * good / len(answers),
            answers=len(answers),
            cut=len(self.calls) - len(answers),
            fast=100 * sum(one.took < FAST_SECONDS for one in answers) / len(answers),
            restarts=self.worker_restarts,
            memory=self._compare_memory(),
            table="\n".join(_describe_row(one) for one in self.played),
        )

    def _count_operations(self) -> Mapping[str, Line]:
        known, unknown = Counter[int](), Counter[int]()
        for one in self.calls:
            (known if one.is_known else unknown)[int(one.second // BUCKET_SECONDS)] += 1
        buckets = range(max(known | unknown) + 1)
        return {
            name: [(bucket * BUCKET_SECONDS, counts[bucket] / BUCKET_SECONDS) for bucket in buckets]
            for name, counts in (("known", known), ("unknown", unknown))
        }

    def _time(self) -> Mapping[str, Line]:
        buckets: dict[int, list[float]] = defaultdict(list)
        for one in self.calls:
            if one.is_known:
                buckets[int(one.second // BUCKET_SECONDS)].append(one.took)
        lines: dict[str, list[tuple[float, float]]] = {"half within": [], "99 % within": []}
        for bucket, times in sorted(buckets.items()):
            times.sort()
            lines["half within"].append((bucket * BUCKET_SECONDS, statistics.median(times)))
            lines["99 % within"].append((bucket * BUCKET_SECONDS, times[min(len(times) - 1, len(times) * 99 // 100)]))
        return lines

    def _trace_memory(self) -> Mapping[str, Line]:
        names = dict.fromkeys(itertools.chain.from_iterable(held for _, held in self.memory))
        return {name: [(at - self.began, held[name]) for at, held in self.memory if name in held] for name in names}

    def _compare_memory(self) -> str:
        """Return a table of what each part held in the first and in the last quarter of the run, by the median."""
        rows = ["| Part | first quarter | last quarter |", "| --- | --- | --- |"]
        for name, line in self._trace_memory().items():
            values = [value for _, value in line if value]
            quarter = max(1, len(values) // 4)
            first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
            rows.append(f"| {name} | {first:.0f} MB | {last:.0f} MB |")
        return "\n".join(rows)


def _describe_row(one: Played) -> str:
    played = one.round
    known, unknown, refused = (played.count(outcome) for outcome in ("known", "unknown", "refused"))
    verdict = "possible" if played.is_possible else "anomaly"
    return f"| {one.second / 60:.1f} | {played.fault} | {known + unknown} | {unknown} | {refused} | {verdict} |"
