"""Who holds which groups and roles, of a million people in some megabytes: eight bytes each.

A change copies the few hundred people of one part, so that its cost does not grow with the city.
"""

import sys
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import msgspec

from balcao.core.values.cpf import Cpf

_PARTS = 4096
# A person is one number: the eleven digits above, below them which of the known holdings they have.
_BITS = 27
_MASK = (1 << _BITS) - 1
Part: TypeAlias = "array[int]"


class Holding(msgspec.Struct, frozen=True):
    """The ids of somebody's groups and of the roles given to them directly; most people share theirs with others."""

    groups: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


NOTHING = Holding()


class People:
    """What each person holds by what is stored; never changed once made."""

    __slots__ = ("_holdings", "_numbers", "_parts")

    def __init__(self, parts: tuple[Part, ...], holdings: list[Holding], numbers: dict[Holding, int]) -> None:
        self._parts = parts
        # Only ever appended to, so that older and newer people may share them.
        self._holdings = holdings
        self._numbers = numbers

    @classmethod
    def of(cls, holders: Iterable[tuple[Holding, bytes]]) -> "People":
        """Make them of holdings and the CPFs of those who have each, as big-endian numbers of eight bytes."""
        parts: list[list[int]] = [[] for _ in range(_PARTS)]
        holdings: list[Holding] = []
        for number, (holding, people) in enumerate(holders):
            holdings.append(holding)
            cpfs: Part = array("Q", people)
            if sys.byteorder == "little":
                cpfs.byteswap()
            for cpf in cpfs:
                parts[cpf % _PARTS].append(cpf << _BITS | number)
        numbers = {holding: number for number, holding in enumerate(holdings)}
        return cls(tuple(array("Q", sorted(part)) for part in parts), holdings, numbers)

    def find(self, cpf: Cpf | None) -> Holding:
        """Return what the person holds."""
        if cpf is None:
            return NOTHING
        number = int(cpf.digits)
        part = self._parts[number % _PARTS]
        place = bisect_left(part, number << _BITS)
        if place < len(part) and part[place] >> _BITS == number:
            return self._holdings[part[place] & _MASK]
        return NOTHING

    def __len__(self) -> int:
        """Return how many people hold anything."""
        return sum(map(len, self._parts))

    def replacing(self, changed: Mapping[str, Holding]) -> "People":
        """Return the people with what these, by their CPF, hold now; who holds nothing is forgotten."""
        if not changed:
            return self
        parts = list(self._parts)
        keyed = sorted((int(cpf) % _PARTS, int(cpf), holding) for cpf, holding in changed.items())
        for number, people in groupby(keyed, itemgetter(0)):
            now = {cpf: holding for _, cpf, holding in people}
            kept = [one for one in parts[number] if one >> _BITS not in now]
            new = [cpf << _BITS | self._number(holding) for cpf, holding in now.items() if holding != NOTHING]
            parts[number] = array("Q", sorted([*kept, *new]))
        return People(tuple(parts), self._holdings, self._numbers)

    def _number(self, holding: Holding) -> int:
        number = self._numbers.get(holding)
        if number is None:
            number = self._numbers[holding] = len(self._holdings)
            self._holdings.append(holding)
        return number


NOBODY = People((array("Q"),) * _PARTS, [], {})
