"""The page about a long run: its operations and their durations, the memory of the parts, and the verdicts."""

import itertools
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.histories.ending import replace
from tests.histories.findings import describe_wrong
from tests.histories.invariants import NANOSECONDS, read_history
from tests.histories.plots import Line, Mark, plot
from tests.histories.recorder import ANSWER_SECONDS
from tests.histories.rounds import Round

BUCKET_SECONDS = 10
FAST_SECONDS = 0.5  # the longest response time that the service level allows
WHOLE_NAMES = ("full disk", "rolling restart")  # faults that are a kind of their own
PAGE = "hours.md"
TEXT = """\
# Proofs: hours of everything

After reading this page you know how the installation of a whole city worked for hours with a fault in every minute.
Index and machine: [proofs](../proofs.md). What a history is and how it is judged: [histories](histories.md). The
installation and its faults: [each resource under each fault](histories-faults.md). `make hours MINUTES=120` writes this
page and its plots after a complete run. If a run ends early, its page is written next to its histories and states that
under *Length*.

The installation has two hosts behind nginx, a worker, Redis, CRM, identity provider, and two PostgreSQL servers. The
second server is a synchronous replica that serves visitors. Clients of every resource call continuously, with pauses
between calls as in a real city: without pauses the run would only measure how long clients wait for each other. Each
minute has a random fault, and no fault repeats before all others have occurred. In the middle of the run the platform
is upgraded under load: migrations first, then one process after the other. After each minute the clients pause until
the minute's history has been judged.

- **Last run**: {setting}
- **Length**: {minutes:.0f} of {asked:g} minutes, {rounds} rounds{ending}
- **Verdict**: {verdict}
- **Operations**: {operations:,}, {unknown:,} of unknown outcome, {refused:,} more refused
- **Reads from a replica**: at least {replica_reads:,} (the counts of killed processes are lost)
- **Worker restarts**, including those after kills: {restarts}

## Service levels

The [service level](../operate/monitoring.md#service-levels) applies to a month: 99.9 % allows one failed minute in a
thousand, not one fault each minute. The first row shows normal operation, and the second row the cost of the faults.

{levels}

| Fault | rounds | operations | unknown | refused | no 5xx | 95 % within |
| --- | --- | --- | --- | --- | --- | --- |
{kinds}

![Operations](hours-operations.svg)

![Times](hours-times.svg)

## Memory

{memory}

![Memory](hours-memory.svg)

## Each minute

| Minute | Fault | operations | unknown | refused | verdict | seed |
| --- | --- | --- | --- | --- | --- | --- |
{table}
{wrong}"""


class Call(NamedTuple):
    """A call in the report: its time, its duration in seconds, whether its outcome is known, and its status."""

    second: float
    took: float
    is_known: bool
    status: int


class Played(NamedTuple):
    """A round, the second of the run at which its first call was sent, and its calls in order."""

    second: float
    round: Round
    calls: Sequence[Call]

    @property
    def kind(self) -> str:
        """The kind of the round's fault."""
        name = self.round.fault
        return name if name in WHOLE_NAMES else name.partition(" ")[0]


@dataclass
class Report:
    """The report of a run that started at `began` (monotonic clock) and should last `asked` minutes.

    A thread appends the samples to `memory`.
    """

    began: float
    asked: float
    memory: Sequence[tuple[float, Mapping[str, float]]]
    played: list[Played] = field(default_factory=list)
    worker_restarts: int = 0
    replica_reads: int = 0
    is_whole: bool = False
    _counted: Sequence[int] = field(default=(), init=False)

    def add(self, one: Round, worker_restarts: int, replica_reads: Sequence[int]) -> None:
        """Add a round, with the counters at its end.

        A host's count of replica reads starts again when the host restarts.
        """
        calls = [
            Call(
                made.call / NANOSECONDS - self.began,
                (made.answered - made.call) / NANOSECONDS,
                made.output is not None,
                made.status,
            )
            for made in (read_history(one.history) if one.history.exists() else ())
        ]
        began = min((call.second for call in calls), default=one.broken_from - self.began)
        self.played.append(Played(began, one, calls))
        self.worker_restarts = worker_restarts
        before = self._counted or [0] * len(replica_reads)
        self.replica_reads += sum(
            now - then if now >= then else now for now, then in zip(replica_reads, before, strict=True)
        )
        self._counted = replica_reads

    @property
    def is_possible(self) -> bool:
        """Whether all rounds are free of faults."""
        return all(one.round.is_possible for one in self.played)

    @property
    def calls(self) -> list[Call]:
        """All recorded calls of the run."""
        return list(itertools.chain.from_iterable(one.calls for one in self.played))

    def write(self, folder: Path, setting: str) -> None:
        """Write the page and its plots to the folder."""
        marks = [Mark(one.second, one.round.fault) for one in self.played]
        plots = {
            "operations": plot("Operations", "a second", self._count_operations(), marks),
            "times": plot("Response times", "s", self._time(), marks),
            "memory": plot("Memory", "MB", self._trace_memory(), marks),
        }
        for name, picture in plots.items():
            replace(folder / f"hours-{name}.svg", picture)
        replace(folder / PAGE, self._describe(setting))

    def _describe(self, setting: str) -> str:
        rounds = [one.round for one in self.played]
        return TEXT.format(
            setting=setting,
            minutes=max((one.second + one.took for one in self.calls), default=0.0) / 60,
            asked=self.asked,
            rounds=len(rounds),
            ending="" if self.is_whole else "; **this run did not finish**",
            verdict=_describe_verdict(rounds),
            operations=len(self.calls),
            unknown=sum(one.count("unknown") for one in rounds),
            refused=sum(one.count("refused") for one in rounds),
            replica_reads=self.replica_reads,
            restarts=self.worker_restarts,
            levels=self._compare_levels(),
            kinds="\n".join(self._describe_kinds()),
            memory=self._compare_memory(),
            table="\n".join(map(_describe_row, self.played)),
            wrong=f"\n{wrong}" if (wrong := describe_wrong(rounds)) else "",
        )

    def _compare_levels(self) -> str:
        """Return a table of two groups: calls that ended before a fault, and all other calls.

        The last row has the limits.
        """
        quiet, troubled = list[Call](), list[Call]()
        for one in self.played:
            # If a call starts later, it may still be in progress when the fault starts.
            ends = one.round.broken_from - self.began - ANSWER_SECONDS
            for call in one.calls:
                (quiet if call.second < ends else troubled).append(call)
        rows = [
            "| While | calls | no 5xx | no response | within 0.5 s | half within | 95 % within | 99 % within |",
            "| --- | --- | --- | --- | --- | --- | --- | --- |",
        ]
        for name, calls in {"no fault": quiet, "during and after a fault": troubled}.items():
            answers = [call for call in calls if call.status]
            if not answers:
                continue
            took = sorted(call.took for call in answers)
            within = " | ".join(f"{_quantile(took, share) * 1000:.0f} ms" for share in (50, 95, 99))
            fast = 100 * sum(one < FAST_SECONDS for one in took) / len(took)
            cut = len(calls) - len(answers)
            rows.append(
                f"| {name} | {len(calls):,} | {_available(answers):.2f} % | {cut:,} | {fast:.2f} % | {within} |"
            )
        return "\n".join([*rows, "| *service level* | | 99.9 % | | 99 % | | | |"])

    def _describe_kinds(self) -> Iterable[str]:
        """Yield a table row for each kind of fault, with its effect on the calls."""
        kinds: dict[str, list[Played]] = defaultdict(list)
        for one in self.played:
            kinds[one.kind].append(one)
        for kind, played in sorted(kinds.items()):
            known, unknown, refused = (
                sum(one.round.count(outcome) for one in played) for outcome in ("known", "unknown", "refused")
            )
            answers = [call for one in played for call in one.calls if call.status]
            took = _quantile(sorted(call.took for call in answers), 95) if answers else 0.0
            available = f"{_available(answers):.2f} %" if answers else "none"
            counts = f"{len(played)} | {known + unknown:,} | {unknown:,} | {refused:,}"
            yield f"| {kind} | {counts} | {available} | {took * 1000:.0f} ms |"

    def _count_operations(self) -> Mapping[str, Line]:
        known, unknown = Counter[int](), Counter[int]()
        for one in self.calls:
            (known if one.is_known else unknown)[int(one.second // BUCKET_SECONDS)] += 1
        buckets = range(max(known | unknown, default=0) + 1)
        return {
            name: [(bucket * BUCKET_SECONDS, counts[bucket] / BUCKET_SECONDS) for bucket in buckets]
            for name, counts in (("known", known), ("unknown", unknown))
        }

    def _time(self) -> Mapping[str, Line]:
        buckets: dict[int, list[float]] = defaultdict(list)
        for one in self.calls:
            if one.is_known:
                buckets[int(one.second // BUCKET_SECONDS)].append(one.took)
        lines: dict[str, list[tuple[float, float]]] = {"half within": [], "95 % within": []}
        for bucket, times in sorted(buckets.items()):
            times.sort()
            lines["half within"].append((bucket * BUCKET_SECONDS, _quantile(times, 50)))
            lines["95 % within"].append((bucket * BUCKET_SECONDS, _quantile(times, 95)))
        return lines

    def _trace_memory(self) -> Mapping[str, Line]:
        names = dict.fromkeys(itertools.chain.from_iterable(held for _, held in list(self.memory)))
        return {name: [(at - self.began, held[name]) for at, held in self.memory if name in held] for name in names}

    def _compare_memory(self) -> str:
        """Return a table of each part's median memory in the first and the last quarter of the run."""
        rows = ["| Part | first quarter | last quarter | at most |", "| --- | --- | --- | --- |"]
        for name, line in self._trace_memory().items():
            values = [value for _, value in line if value]
            if not values:
                continue
            quarter = max(1, len(values) // 4)
            first, last = statistics.median(values[:quarter]), statistics.median(values[-quarter:])
            rows.append(f"| {name} | {first:.0f} MB | {last:.0f} MB | {max(values):.0f} MB |")
        return "\n".join(rows)


def _available(answers: Sequence[Call]) -> float:
    """Return the percentage of responses that are not a 5xx."""
    return 100 * sum(one.status < 500 for one in answers) / len(answers)


def _quantile(ordered: Sequence[float], share: int) -> float:
    """Return the smallest value that at least `share` percent of the values do not exceed."""
    return ordered[min(len(ordered) - 1, len(ordered) * share // 100)]


def _describe_verdict(rounds: Sequence[Round]) -> str:
    unjudged = sum(bool(one.failure) for one in rounds)
    wrong = sum(not one.is_possible for one in rounds) - unjudged
    counts = {"with an impossible or undecided history": wrong, "not judged": unjudged}
    told = [f"{count} of {len(rounds)} rounds {what}" for what, count in counts.items() if count]
    return ", ".join(told) or "lost 0, doubled 0, anomalies 0"


def _describe_row(one: Played) -> str:
    played = one.round
    known, unknown, refused = (played.count(outcome) for outcome in ("known", "unknown", "refused"))
    counts = f"{known + unknown} | {unknown} | {refused}"
    return f"| {one.second / 60:.1f} | {played.fault} | {counts} | {played.verdict} | {played.seed} |"
