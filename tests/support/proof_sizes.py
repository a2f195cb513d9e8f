"""The sizes of proofs: small in ordinary runs, full with BALCAO_PROVE=1, which `make prove` sets."""

import os
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")

FULL = os.environ.get("BALCAO_PROVE") == "1"


def size(small: int, full: int) -> int:
    """Return the size for this run. `size(50, 500)` is 50 in `make test` and 500 in `make prove`."""
    return full if FULL else small


def one_of_each(kind: Callable[[T], Hashable], things: Iterable[T]) -> list[T]:
    """In a proof, return all items. Otherwise, return the first item of each kind."""
    if FULL:
        return list(things)
    found: dict[Hashable, T] = {}
    for thing in things:
        found.setdefault(kind(thing), thing)
    return list(found.values())


def choose_looks(*widths: int) -> list[tuple[int, str]]:
    """Return the pairs of width and colour scheme in which pages are checked.

    In a proof, these are all pairs. Otherwise, they are the first width in light and the last width in dark.
    """
    if FULL:
        return [(width, scheme) for width in widths for scheme in ("light", "dark")]
    return [(widths[0], "light"), (widths[-1], "dark")]


# Whether property tests try more examples: in CI, in a proof, or with BALCAO_LONG. `tools/test` selects the tests that
# are marked as long.
LONG = FULL or bool(os.environ.get("CI") or os.environ.get("BALCAO_LONG"))
EXAMPLES = size(100 if LONG else 25, 5_000)  # how many examples a property test tries


def report(figures: str) -> None:
    """Print a measurement in a proof. Ordinary runs print nothing."""
    if FULL:
        print(figures)
