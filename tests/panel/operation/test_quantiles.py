"""Quantiles of response times are as exact as the histogram's bounds allow."""

from bisect import bisect_left

from hypothesis import given
from hypothesis import strategies as st

from balcao.panel.operation.quantiles import find_quantile

BOUNDS = (1.0, 2.5, 5.0, 10.0, 100.0)


@given(st.lists(st.floats(0.01, 200), min_size=1, max_size=60), st.sampled_from([0.5, 0.95]))
def test_a_time_lies_between_the_bounds_of_the_call_that_it_is_about(times: list[float], share: float) -> None:
    counts = [0] * (len(BOUNDS) + 1)
    for time in times:
        counts[bisect_left(BOUNDS, time)] += 1
    rank = next(number for number in range(1, len(times) + 1) if number >= share * len(times))
    place = bisect_left(BOUNDS, sorted(times)[rank - 1])
    found = find_quantile(counts, BOUNDS, share)
    assert found is not None
    low, high = (0.0, *BOUNDS)[place], (*BOUNDS, BOUNDS[-1])[place]
    assert low <= found <= high


def test_nothing_that_was_counted_has_no_time() -> None:
    assert find_quantile([0] * 6, BOUNDS, 0.5) is None
    assert find_quantile([], BOUNDS, 0.5) is None


def test_evenly_spread_calls_are_met_in_the_middle() -> None:
    assert find_quantile([0, 0, 10, 0, 0, 0], BOUNDS, 0.5) == 3.75
    assert find_quantile([0, 0, 0, 0, 0, 3], BOUNDS, 0.5) == 100.0
