"""The checker's verdict on constructed histories: whether each is possible, and the shortest impossible part."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import msgspec
import pytest

from tests.histories.recorder import Operation
from tests.histories.trial import Verdict, judge

pytestmark = pytest.mark.histories

# A request and its response. The response is None if the outcome is unknown.
Step: TypeAlias = tuple[Mapping[str, Any], Mapping[str, Any] | None]


def write(value: str) -> Step:
    return {"do": "declare", "value": value}, {}


def lost(value: str) -> Step:
    return {"do": "declare", "value": value}, None


def read(value: str) -> Step:
    return {"do": "read"}, {"value": value}


def follow(steps: Sequence[Step]) -> Iterator[Operation]:
    """Yield operations on a declared field, one after the other."""
    for place, (asked, told) in enumerate(steps):
        yield Operation("declared", "someone", 1, 10 * place, 10 * place + 5, asked, told)


def judge_steps(folder: Path, *steps: Step) -> Verdict:
    history = folder / "history.jsonl"
    history.write_bytes(b"\n".join(map(msgspec.json.encode, follow(steps))))
    (judged,) = judge(history)
    return judged


def test_an_unknown_write_may_show_late_or_never(tmp_path: Path) -> None:
    told = (write("a"), lost("b"), read("a"), read("b"), lost("c"), read("b"))
    assert judge_steps(tmp_path, *told).verdict == "possible"


def test_the_answer_that_tells_how_everything_was_stays_in_the_shortest_history(tmp_path: Path) -> None:
    before = {"opt_in": True, "choices": {"health": True}}
    change = {"do": "change", "reason": "marca", "choices": {"health": False}}
    steps: list[Step] = [({"do": "read"}, before), (change, before), ({"do": "read"}, before)]
    history = tmp_path / "history.jsonl"
    told = [msgspec.structs.replace(one, resource="preferences") for one in follow(steps)]
    history.write_bytes(b"\n".join(map(msgspec.json.encode, told)))
    (judged,) = judge(history)
    assert judged.verdict == "anomaly"
    assert [one.input["do"] for one in judged.shortest] == ["read", "change"]


def test_the_shortest_history_has_only_answers_that_cannot_be_without_each_other(tmp_path: Path) -> None:
    noise = (read("a"), write("b"), read("b"), write("c"), lost("d"), read("c"), read("c"))
    judged = judge_steps(tmp_path, write("a"), *noise, read("a"), read("c"))
    assert judged.verdict == "anomaly"
    # The shortest impossible part needs a write of "a" and a later write of "b" or "c". Otherwise, the last read would
    # be possible.
    shown = [(one.input["do"], one.input.get("value") or (one.output or {})["value"]) for one in judged.shortest]
    assert shown[0] == ("declare", "a")
    assert shown[1] in [("declare", "b"), ("declare", "c")]
    assert shown[2:] == [("read", "a")]
