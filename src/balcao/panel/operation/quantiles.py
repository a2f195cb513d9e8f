"""Estimates quantiles of response times from a histogram."""

from collections.abc import Sequence
from itertools import accumulate, pairwise


def find_quantile(counts: Sequence[int], bounds: Sequence[float], share: float) -> float | None:
    """Return the time within which this share of the calls was answered, or None if nothing was counted.

    Each count belongs to the interval between the previous bound and its own bound. The last count has no upper bound,
    so a quantile within it is reported as the last bound. The times are assumed to be spread evenly within an interval.
    """
    total = sum(counts)
    if not total:
        return None
    wanted = share * total
    steps = zip(pairwise(accumulate(counts, initial=0)), pairwise((0.0, *bounds)), strict=False)
    for (before, until), (low, high) in steps:
        if until >= wanted and until > before:
            return low + (high - low) * (wanted - before) / (until - before)
    return float(bounds[-1])
