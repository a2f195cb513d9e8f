"""The sizes of proofs: small in ordinary runs, full with BALCAO_PROVE=1, which `make prove` sets."""

import os
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")

FULL = os.environ.get("BALCAO_PROVE") == "1"


def size(small: int, full: int) -> int:
    """Return the size of a proof. `size(50, 500)` is 50 in `make test` and 500 in `make prove`."""
    return full if FULL else small


def one_of_each(kind: Callable[[T], Hashable], things: Iterable[T]) -> list[T]:
    """Return all things in a proof, otherwise the first of each kind, in order."""
    if FULL:
        return list(things)
    found: dict[Hashable, T] = {}
    for thing in things:
        found.setdefault(kind(thing), thing)
    return list(found.values())


# Whether the run includes the long tests, as every run before a merge does.
LONG = FULL or bool(os.environ.get("CI") or os.environ.get("BALCAO_LONG"))
EXAMPLES = size(100 if LONG else 50, 5_000)  # of a property


def report(figures: str) -> None:
    """Print a measurement of a proof. Ordinary runs print nothing."""
    if FULL:
        print(figures)
