"""How large a proof is: small in every run of the tests, full with BALCAO_PROVE=1, which `make prove` sets."""

import os
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")

FULL = os.environ.get("BALCAO_PROVE") == "1"


def size(small: int, full: int) -> int:
    """`size(50, 500)`: 50 webhook calls in `make test`, the issue's 500 in `make prove`."""
    return full if FULL else small


def one_of_each(kind: Callable[[T], Hashable], things: Iterable[T]) -> list[T]:
    """Return all of them in a proof, else the first of each kind, in their order."""
    if FULL:
        return list(things)
    found: dict[Hashable, T] = {}
    for thing in things:
        found.setdefault(kind(thing), thing)
    return list(found.values())


# Whether the run also does what takes long, as every run does that a change has to pass before it is merged.
LONG = FULL or bool(os.environ.get("CI") or os.environ.get("BALCAO_LONG"))
EXAMPLES = size(100 if LONG else 50, 5_000)  # of a property


def report(figures: str) -> None:
    """Print what a proof measured: `make prove` shows it, and a run of the tests is silent."""
    if FULL:
        print(figures)
