"""Within what time a share of the calls was answered, as far as counts by bounds tell."""

from collections.abc import Sequence
from itertools import accumulate, pairwise


def find_quantile(counts: Sequence[int], bounds: Sequence[float], share: float) -> float | None:
    """Return the time within which this share was answered; None where nothing was counted.

    `counts` are those up to each of `bounds` and beyond the one before, and at the end the rest: of these nobody knows
    more than that they took longer than the last bound. Between two bounds the times are taken for spread evenly.
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
