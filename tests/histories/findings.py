"""The page section about the faults that a run found, with the seed and the shortest history of each."""

from collections.abc import Iterable, Iterator

import msgspec

from tests.histories.recorder import Operation
from tests.histories.rounds import Round
from tests.histories.trial import Verdict

MOST_BROKEN = 10  # the most invariants that are listed for one round
NANOSECONDS = 1_000_000  # nanoseconds in a millisecond


def describe_wrong(rounds: Iterable[Round]) -> str:
    """Return the section, or an empty string if no fault was found."""
    wrong = [one for one in rounds if not one.is_possible]
    return "\n".join(["## What is wrong", "", *(line for one in wrong for line in _describe(one))]) if wrong else ""


def _describe(one: Round) -> Iterator[str]:
    yield from (f"### {one.fault}, seed {one.seed}: {one.verdict}", "")
    if one.failure:
        yield f"- Not judged, because it ended with `{one.failure}`"
    for verdict in one.judged:
        yield from _describe_verdict(verdict)
    for broken in one.broken[:MOST_BROKEN]:
        yield f"- Invariant {broken}"
    if len(one.broken) > MOST_BROKEN:
        yield f"- {len(one.broken) - MOST_BROKEN} more lines about invariants"
    yield from (f"- Whole history: `{one.history.name}`", "")


def _describe_verdict(verdict: Verdict) -> Iterator[str]:
    found = f"{verdict.resource} on {verdict.key}: {verdict.verdict}"
    if not verdict.shortest:
        yield f"- {found}"
        return
    yield f"- {found} after {verdict.after} operations, of which these cannot all be true"
    began = verdict.shortest[0].call
    for place, operation in enumerate(verdict.shortest, 1):
        yield f"  {place}. {_describe_operation(operation, began)}"


def _describe_operation(one: Operation, began: int) -> str:
    asked, told = (msgspec.json.encode(words).decode() for words in (one.input, one.output))
    since, until = ((instant - began) / NANOSECONDS for instant in (one.call, one.answered))
    return f"client {one.client}, {since:.1f} to {until:.1f} ms: `{asked}` got `{told}`"
