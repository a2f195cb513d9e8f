"""Counts that the processes of a machine share: exact, separate for each caller, and preserved across a restart."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path

import pytest

from balcao.core.access import counts as module
from balcao.core.access.caller import from_claims
from balcao.core.access.counts import Counts
from balcao.core.access.enumeration import EnumerationGuard
from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany
from balcao.operate.faults import explain_fault
from tests.support.small_disks import disk

KEY = ("60/minute", "registry.read", "caller")
Group = Callable[..., Counts]


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def process(tmp_path: Path, clock: Clock) -> Group:
    """Return a function that opens the shared counts as process `number` of three processes."""
    return lambda number: Counts(b"secret", tmp_path / "counts", number, 3, clock)


def test_every_process_counts_what_the_others_counted(process: Group) -> None:
    group = [process(number) for number in range(3)]
    assert [group[turn % 3].hit(60, KEY)[0] for turn in range(9)] == list(range(1, 10))


def test_a_window_begins_with_the_first_use_and_ends_for_all_at_once(process: Group, clock: Clock) -> None:
    first, second = process(0), process(1)
    assert first.hit(60, KEY) == (1, 60.0)
    clock.now += 59
    assert second.hit(60, KEY) == (2, 1.0)
    clock.now += 1
    assert second.hit(60, KEY) == (1, 60.0)
    assert first.hit(60, KEY) == (2, 60.0)


def test_a_process_that_died_leaves_its_counts_to_its_replacement(process: Group) -> None:
    for number in (0, 1, 1):
        process(number).hit(60, KEY)
    assert process(1).hit(60, KEY)[0] == 4
    assert process(2).hit(60, KEY)[0] == 5


def test_keys_are_counted_apart_and_cannot_be_read_in_the_file(process: Group, tmp_path: Path) -> None:
    counts = process(0)
    counts.hit(60, KEY)
    assert counts.hit(60, (*KEY[:2], "another"))[0] == 1
    content = (tmp_path / "counts").read_bytes()
    assert b"caller" not in content
    assert (tmp_path / "counts").stat().st_mode & 0o077 == 0


def test_the_file_has_no_hole_that_a_full_disk_could_not_fill(process: Group, tmp_path: Path) -> None:
    with (tmp_path / "counts").open("wb") as file:
        file.truncate(1000)
    process(0)
    found = (tmp_path / "counts").stat()
    assert found.st_blocks * 512 >= found.st_size == 3 * module.SLOTS * 16


@pytest.mark.mounts
def test_a_disk_without_room_for_the_file_is_told_to_the_operator(tmp_path: Path) -> None:
    with disk(tmp_path, 1), pytest.raises(OSError, match="No space left") as raised:
        Counts(b"secret", tmp_path / "counts")
    assert explain_fault(raised.value) == "O disco está cheio: libere espaço e repita."


def test_keys_that_meet_in_one_slot_are_never_refused_for_each_other(
    process: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SLOTS", 1)
    first, second = process(0), process(1)
    for turn in range(1, 5):
        assert first.hit(60, KEY)[0] == turn
        assert first.hit(60, ("other",))[0] == turn
    assert second.hit(60, KEY)[0] == 1  # another key has the slot, so it counts only its own calls
    assert second.hit(60, ("other",))[0] == 5


def test_more_keys_than_are_kept_at_hand_lose_no_count(process: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_WINDOWS", 2)
    counts = process(0)
    for number in range(5):
        counts.hit(60, (str(number),))
    assert [counts.hit(60, (str(number),))[0] for number in range(5)] == [2] * 5


def _count(file: Path, number: int, times: int) -> None:
    counts = Counts(b"secret", file, number, 3)
    for _ in range(times):
        counts.hit(86_400, KEY)


def test_processes_that_count_at_the_same_time_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    file = tmp_path / "counts"
    others = [context.Process(target=_count, args=(file, number, 20_000)) for number in (0, 1)]
    for other in others:
        other.start()
    for other in others:
        other.join(120)
    assert Counts(b"secret", file, 2, 3).hit(86_400, KEY)[0] == 40_001


async def test_a_limit_holds_across_processes(process: Group) -> None:
    first, second = Limits(counts=process(0)), Limits(counts=process(1))
    for limits in (first, second, second):
        limits.spend_here("3/minute", "operation", "caller")
    for limits in (first, second):
        assert not limits.remote
        assert not await limits.within("3/minute", "operation", "caller")
        with pytest.raises(TooMany) as refused:
            await limits.spend("3/minute", "operation", "caller")
        assert 1 <= (refused.value.retry_after or 0) <= 60
    first.spend_here("3/minute", "operation", "another")


async def test_who_is_shut_out_in_one_process_is_so_in_all_until_the_period_ends(process: Group, clock: Clock) -> None:
    first, second = (EnumerationGuard(Limits(counts=process(number)), "2/5 minutes") for number in (0, 1))
    for guard in (first, second):
        await guard.count("caller")
        guard.refuse_shut("caller")
    clock.now += 100
    await first.count("caller")
    clock.now += 250  # the window of refusals has ended, but the lockout has not
    for guard in (first, second):
        with pytest.raises(TooMany) as refused:
            guard.refuse_shut("caller")
        assert refused.value.retry_after == 50
        guard.refuse_shut("another")
    clock.now += 49.5
    for guard in (first, second):
        with pytest.raises(TooMany) as refused:
            guard.refuse_shut("caller")
        assert refused.value.retry_after == 1
    clock.now += 0.5
    for guard in (first, second):
        guard.refuse_shut("caller")


def test_callers_are_told_apart_by_issuer_client_and_subject() -> None:
    claims = {"iss": "https://a/", "azp": "portal", "sub": "1", "exp": 1}
    others = [{"iss": "https://b"}, {"azp": "app"}, {"sub": "2"}]
    assert len({from_claims(claims | other).key for other in [{}, *others]}) == 4
    assert from_claims(claims | {"iss": "https://a"}).key == from_claims(claims).key
