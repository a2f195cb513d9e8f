"""The pages of long runs are correct, and an incomplete run never replaces the page of a complete one."""

import itertools
import signal
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import msgspec
import pytest

from tests.histories import hours, rounds, table
from tests.histories.city_faults import Fault
from tests.histories.ending import INTERRUPTED
from tests.histories.recorder import Operation
from tests.histories.report import PAGE, Report
from tests.histories.rounds import Clients, Round, Rounds, sum_up
from tests.histories.trial import RESOURCES, Verdict

NAMES = [resource(range(1)).name for resource in RESOURCES]
FORMER = "the page of a whole run\n"
SEED = 40
KILLED, FROZEN, FULL_DISK = "kill api", "freeze api", "full disk"
NO_ROOT = "only root mounts disks"


async def nothing(_: Any) -> None:
    """Cause no fault."""


FAULTS = {KILLED: Fault(nothing), FROZEN: Fault(nothing), FULL_DISK: Fault(nothing, NO_ROOT)}


def told(resource: str, asked: Mapping[str, Any], answer: Mapping[str, Any] | None, call: int = 0) -> Operation:
    """Return an operation that starts at millisecond `call` and takes a millisecond."""
    instant = 1_000_000 * call
    return Operation(resource, "someone", 1, instant, instant + 1_000_000, asked, answer, status=200 if answer else 0)


SHORTEST = [
    told("own", {"do": "declare", "value": "b"}, {"status": 200}),
    told("own", {"do": "read"}, {"value": "a"}, 7),
]
ANOMALY = Verdict("own", 6, 300, 0, "anomaly", "someone", 23, SHORTEST)
EVENTS = {"worker.reconnect": 3, "job.retry": 9, "store.away": 3, "crm.away": 1}


def make_round(
    fault: str, folder: Path, verdicts: Sequence[Verdict] = (), broken: Sequence[str] = (), seed: int = SEED
) -> Round:
    """Return a round. Each resource has ten operations, one of them with an unknown outcome, and a refused call."""
    outcomes = {(name, outcome): n for name in NAMES for outcome, n in (("known", 9), ("unknown", 1), ("refused", 1))}
    judged = {name: Verdict(name, 1, 10, 1, "possible") for name in NAMES} | {one.resource: one for one in verdicts}
    counts, verdict = sum_up(outcomes, list(judged.values()))
    history = folder / f"{fault}.jsonl"
    return Round(fault, seed, 60.0, 65.0, counts, verdict, list(broken), history, list(verdicts), EVENTS)


# ---- each resource under each fault ---------------------------------------------------------------------------------


def read_row(page: str, first: str) -> list[str]:
    """Return the cells of the row that has this text in its first cell."""
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {first} |"))
    return row.removeprefix("| ").removesuffix(" |").split(" | ")


def describe(*played: Round) -> str:
    return table.describe(FAULTS, {one.fault: one for one in played}, Clients(2), 200, SEED)


def test_a_row_has_the_operations_of_each_resource_and_what_was_logged_most(tmp_path: Path) -> None:
    page = describe(make_round(KILLED, tmp_path), make_round(FROZEN, tmp_path, seed=41))
    assert read_row(page, "Fault") == ["Fault", *NAMES, "refused", "logged", "verdict", "seed"]
    logged = "`job.retry` 9, `store.away` 3, `worker.reconnect` 3"
    assert read_row(page, KILLED) == [KILLED, *["10, 1"] * len(NAMES), str(len(NAMES)), logged, "possible", "40"]
    assert read_row(page, FROZEN)[-1] == "41"
    assert f"Total: {20 * len(NAMES)} operations, {2 * len(NAMES)} with unknown outcome, under 2 faults." in page
    assert "What is wrong" not in page
    assert "did not finish" not in page


def test_an_anomaly_is_named_with_its_seed_and_the_shortest_history_that_shows_it(tmp_path: Path) -> None:
    broken = [f"audit: {number} events of a write" for number in range(12)]
    page = describe(make_round(KILLED, tmp_path, [ANOMALY], broken), make_round(FROZEN, tmp_path, seed=41))
    assert read_row(page, KILLED)[-2:] == ["own: anomaly, invariant audit", "40"]
    assert read_row(page, FROZEN)[-2:] == ["possible", "41"]
    wrong = page.partition("## What is wrong\n")[2].strip().splitlines()
    assert wrong == [
        "### kill api, seed 40: own: anomaly, invariant audit",
        "",
        "- own on someone: anomaly after 23 operations, of which these cannot all be true",
        '  1. client 1, 0.0 to 1.0 ms: `{"do":"declare","value":"b"}` got `{"status":200}`',
        '  2. client 1, 7.0 to 8.0 ms: `{"do":"read"}` got `{"value":"a"}`',
        *(f"- Invariant {line}" for line in broken[:10]),
        "- 2 more lines about invariants",
        "- Whole history: `kill api.jsonl`",
    ]


def test_what_was_not_decided_is_no_anomaly_and_not_possible_either(tmp_path: Path) -> None:
    undecided = Verdict("phone", 4, 900, 30, "undecided", "+55")
    page = describe(make_round(KILLED, tmp_path, [undecided]))
    assert read_row(page, KILLED)[-2] == "phone: undecided"
    assert "- phone on +55: undecided\n" in page


def test_a_resource_that_nobody_asked_for_anything_is_named(tmp_path: Path) -> None:
    outcomes = {(name, "known"): 5 for name in NAMES if name not in ("own", "rights")} | {("rights", "refused"): 7}
    judged = [Verdict(name, 1, 5, 0, "possible") for name in NAMES if name not in ("own", "rights")]
    counts, verdicts = sum_up(outcomes, judged)
    one = Round(KILLED, SEED, 60.0, 65.0, counts, verdicts, [], tmp_path / "history.jsonl")
    row = dict(zip(["Fault", *NAMES], read_row(describe(one), KILLED), strict=False))
    assert (row["own"], row["rights"], row["phone"]) == ("none", "none", "5, 0")
    assert one.verdict == "own: no operation, rights: no operation"


def test_a_fault_that_cannot_be_here_says_why(tmp_path: Path) -> None:
    page = describe(make_round(KILLED, tmp_path))
    assert read_row(page, FULL_DISK) == [FULL_DISK, *["not run"] * (len(NAMES) + 2), NO_ROOT, "none"]
    assert read_row(page, FROZEN) == [FROZEN, *["not run"] * (len(NAMES) + 2), "not run", "none"]
    assert "**This run did not finish: 1 of 3 faults were not played completely.**" in page


# ---- how a run ends -------------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Prepare a run that needs no city and writes its histories to `tmp_path / "run"`.

    Return the path of the page, which an earlier run has written.
    """
    run = tmp_path / "run"
    run.mkdir()
    city = SimpleNamespace(worker_restarts=0, count_replica_reads=lambda _: 0, memory=dict)
    folders = SimpleNamespace(mkdtemp=lambda **_: str(run), TemporaryDirectory=tempfile.TemporaryDirectory)
    for module in (table, hours):
        monkeypatch.setattr(module, "list_faults", lambda: FAULTS)
        monkeypatch.setattr(module, "found", lambda *_: nullcontext(city))
        monkeypatch.setattr(module.run_folder, "make", lambda: run)
        monkeypatch.setattr(module, "tempfile", folders)
    monkeypatch.setattr(hours, "find_former_release", lambda: "f" * 40)
    monkeypatch.setattr(hours, "extract", lambda *_: None)
    former = tmp_path / PAGE
    former.write_text(FORMER)
    return former


@pytest.fixture
def ends(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function. After `ends(2, interrupt)`, the second round calls `interrupt`.

    All other rounds complete with the given verdicts.
    """

    def set_end(place: int, end: Callable[[], None], verdicts: Sequence[Verdict] = ()) -> None:
        played = itertools.count(1)

        def play(_: Rounds, name: str, seed: int, history: Path, *__: Any) -> Round:
            if next(played) == place:
                end()
            return make_round(name, history.parent, verdicts, seed=seed)

        monkeypatch.setattr(Rounds, "_play", play)

    set_end(0, fail)
    return set_end


def fail() -> None:
    raise TimeoutError


def interrupt() -> None:
    raise KeyboardInterrupt


def terminate() -> None:
    signal.raise_signal(signal.SIGTERM)


def play_table(page: Path, *words: str) -> int:
    return table.main([*words, "--page", str(page), "--seed", str(SEED)])


def test_a_run_of_every_fault_that_can_be_here_replaces_the_page(page: Path, ends: Callable[..., None]) -> None:
    assert play_table(page) == 0
    written = page.read_text()
    assert [read_row(written, fault)[-2:] for fault in FAULTS] == [
        ["possible", "41"],
        ["possible", "42"],
        [NO_ROOT, "none"],
    ]
    assert "did not finish" not in written
    assert sorted(one.name for one in page.parent.iterdir()) == [PAGE, "run"]


@pytest.mark.parametrize("end", [interrupt, terminate])
def test_a_run_that_is_ended_leaves_the_page_and_tells_what_it_had(
    page: Path, ends: Callable[..., None], end: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    ends(2, end)
    assert play_table(page) == INTERRUPTED
    assert page.read_text() == FORMER
    draft = (page.parent / "run" / PAGE).read_text()
    assert read_row(draft, KILLED)[-2:] == ["possible", "41"]
    assert read_row(draft, FROZEN)[-2:] == ["not run", "none"]
    assert "did not finish: 1 of 3" in draft
    assert f"{page} is unchanged" in capsys.readouterr().out
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


def test_a_run_of_some_faults_leaves_the_page(page: Path, ends: Callable[..., None]) -> None:
    assert play_table(page, FROZEN) == 0
    assert page.read_text() == FORMER
    assert read_row((page.parent / "run" / PAGE).read_text(), FROZEN)[-2:] == ["possible", "41"]


def test_a_fault_that_there_is_not_is_refused(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        play_table(page, "kill apy")
    assert "no such fault: kill apy" in capsys.readouterr().err


def test_a_round_that_ends_by_itself_is_not_judged_and_the_run_goes_on(page: Path, ends: Callable[..., None]) -> None:
    ends(1, fail)
    assert play_table(page) == 1
    assert page.read_text() == FORMER
    draft = (page.parent / "run" / PAGE).read_text()
    assert read_row(draft, KILLED) == [KILLED, *["none"] * len(NAMES), "0", "nothing", "not judged", "41"]
    assert read_row(draft, FROZEN)[-2:] == ["possible", "42"]
    assert "- Not judged, because it ended with `TimeoutError()`" in draft


def test_a_run_without_a_city_is_given_up(
    page: Path, ends: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MOST_FAILURES", 1)
    ends(1, fail)
    assert play_table(page) == 1
    assert page.read_text() == FORMER
    assert read_row((page.parent / "run" / PAGE).read_text(), FROZEN)[-2:] == ["not run", "none"]


def test_a_run_with_an_anomaly_ends_with_1_and_replaces_the_page(
    page: Path, ends: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    ends(0, fail, [ANOMALY])
    assert play_table(page) == 1
    assert read_row(page.read_text(), FROZEN)[-2:] == ["own: anomaly", "42"]
    assert "### freeze api, seed 42: own: anomaly" in capsys.readouterr().out


# ---- hours of everything --------------------------------------------------------------------------------------------


@pytest.fixture
def report(tmp_path: Path) -> Report:
    """Return a report of two rounds, with calls in a quiet minute and in a minute with a fault.

    One call got no response.
    """
    made = Report(0.0, 2.0, [(5.0, {"worker": 90.0}), (95.0, {"worker": 100.0})])
    answered = [told("own", {"do": "read"}, {"value": "a"}, 1_000 * second) for second in range(40, 70)]
    for fault, wrong, extra in (
        (KILLED, (), []),
        ("kill host", (ANOMALY,), [told("own", {"do": "read"}, None, 64_500)]),
    ):
        one = make_round(fault, tmp_path, wrong)
        one.history.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in [*answered, *extra]))
        made.add(one, worker_restarts=2, replica_reads=[7, 5])
    made.is_whole = True
    return made


def test_the_page_of_hours_counts_what_the_rounds_and_their_histories_have(tmp_path: Path, report: Report) -> None:
    report.write(tmp_path, "today")
    page = (tmp_path / PAGE).read_text()
    assert "- **Last run**: today\n- **Length**: 1 of 2 minutes, 2 rounds\n" in page
    unknown, refused = 2 * len(NAMES), 2 * len(NAMES)
    assert f"- **Operations**: 61, {unknown} of unknown outcome, {refused} more refused\n" in page
    assert "- **Reads from a replica**: at least 12 (" in page
    assert "- **Worker restarts**, including those after kills: 2" in page
    assert read_row(page, "no fault")[1:5] == ["34", "100.00 %", "0", "100.00 %"]
    assert read_row(page, "during and after a fault")[1:5] == ["27", "100.00 %", "1", "100.00 %"]
    assert read_row(page, "kill")[1:4] == ["2", str(20 * len(NAMES)), str(unknown)]
    assert read_row(page, "worker") == ["worker", "90 MB", "100 MB", "100 MB"]
    minutes = [line for line in page.splitlines() if line.startswith("| 0.7 |")]
    assert minutes == [
        f"| 0.7 | kill api | {10 * len(NAMES)} | {len(NAMES)} | {len(NAMES)} | possible | 40 |",
        f"| 0.7 | kill host | {10 * len(NAMES)} | {len(NAMES)} | {len(NAMES)} | own: anomaly | 40 |",
    ]
    for plot in ("operations", "times", "memory"):
        picture = ElementTree.parse(tmp_path / f"hours-{plot}.svg").getroot()  # noqa: S314 - our own file
        assert [line for line in picture if line.tag.endswith("polyline") and line.get("points")]


def test_the_page_of_hours_tells_an_anomaly_and_where_to_find_it(tmp_path: Path, report: Report) -> None:
    report.write(tmp_path, "today")
    page = (tmp_path / PAGE).read_text()
    assert "- **Verdict**: 1 of 2 rounds with an impossible or undecided history\n" in page
    assert "### kill host, seed 40: own: anomaly" in page
    assert '  2. client 1, 7.0 to 8.0 ms: `{"do":"read"}` got `{"value":"a"}`' in page
    del report.played[1]
    report.write(tmp_path, "today")
    page = (tmp_path / PAGE).read_text()
    assert "- **Verdict**: lost 0, doubled 0, anomalies 0\n" in page
    assert "What is wrong" not in page


def play_hours(page: Path, minutes: str = "0") -> int:
    return hours.main(["--minutes", minutes, "--folder", str(page.parent), "--seed", str(SEED)])


def test_hours_that_came_to_their_end_replace_the_page_and_its_plots(page: Path, ends: Callable[..., None]) -> None:
    assert play_hours(page) == 0
    assert "- **Verdict**: lost 0, doubled 0, anomalies 0\n" in page.read_text()
    assert "did not finish" not in page.read_text()
    assert {one.name for one in page.parent.glob("*.svg")} == {
        f"hours-{what}.svg" for what in ("operations", "times", "memory")
    }


@pytest.mark.parametrize("end", [interrupt, terminate])
def test_hours_that_are_ended_leave_the_page_and_tell_what_they_had(
    page: Path, ends: Callable[..., None], end: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    ends(2, end)
    assert play_hours(page, "60") == INTERRUPTED
    assert page.read_text() == FORMER
    assert not list(page.parent.glob("*.svg"))
    draft = (page.parent / "run" / PAGE).read_text()
    assert "1 rounds; **this run did not finish**\n- **Verdict**: lost 0, doubled 0, anomalies 0\n" in draft
    assert f"{page} is unchanged" in capsys.readouterr().out


def test_hours_without_a_city_are_given_up_and_leave_the_page(
    page: Path, ends: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rounds, "MOST_FAILURES", 1)
    ends(1, fail)
    assert play_hours(page) == 1
    assert page.read_text() == FORMER
    draft = (page.parent / "run" / PAGE).read_text()
    assert "; **this run did not finish**" in draft
    assert "- **Verdict**: 1 of 1 rounds not judged\n" in draft
    assert "- Not judged, because it ended with `TimeoutError()`" in draft
