"""Measures how well the search finds the right services (rules: search 4.6, evaluation).

The benchmark of citizens' queries and the control queries of a city use these measures.
"""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Literal

# Results after this position do not count.
SHOWN = 10

Cause = Literal["found_nothing", "not_found", "ranked_lower"]


@dataclass(frozen=True, slots=True)
class Judgement:
    """The judgement of the results of one query.

    `rank` is the position of the first right service, from 1. `helps` is true if one of the first three results is
    right or nearly right.
    """

    rank: int | None
    helps: bool

    @property
    def gain(self) -> float:
        """The nDCG. A citizen needs one service, so only the first right one counts."""
        return 0.0 if self.rank is None or self.rank > SHOWN else 1 / math.log2(self.rank + 1)

    def find_cause(self, total: int) -> Cause | None:
        """Return why no right service came first, or None if one did. `total` is the number of results."""
        if self.rank == 1:
            return None
        if total == 0:
            return "found_nothing"
        return "not_found" if self.rank is None else "ranked_lower"


def judge(found: Sequence[str], right: Set[str], also: Set[str] = frozenset()) -> Judgement:
    """Judge the results of a query.

    `also` contains nearly right services, which count only among the first three results.
    """
    rank = next((place for place, each in enumerate(found, 1) if each in right), None)
    return Judgement(rank, not (right | also).isdisjoint(found[:3]))


@dataclass(frozen=True, slots=True)
class Rating:
    """The quality of the search for a list of queries.

    `first` and `among_three` are the shares of queries with a right service first, and with a right or nearly right one
    among the first three. `ndcg` is the mean over the first ten results.
    """

    count: int
    first: float
    among_three: float
    ndcg: float


def rate(judgements: Sequence[Judgement]) -> Rating:
    """Return the figures for all judgements. Without judgements, they are 0."""
    count = len(judgements) or 1
    return Rating(
        len(judgements),
        sum(each.rank == 1 for each in judgements) / count,
        sum(each.helps for each in judgements) / count,
        sum(each.gain for each in judgements) / count,
    )
