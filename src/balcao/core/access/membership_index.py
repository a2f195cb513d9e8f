"""The groups and roles of a million people in a few megabytes: eight bytes for each person.

A change copies only the few hundred people of one part, so its cost does not grow with the city.
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
# A person is one number: the eleven digits in the high bits, the index of the person's membership in the low bits.
_BITS = 27
_MASK = (1 << _BITS) - 1
Part: TypeAlias = "array[int]"


class Membership(msgspec.Struct, frozen=True):
    """The ids of a person's groups and direct roles. Most people share their combination with others."""

    groups: tuple[int, ...] = ()
    roles: tuple[int, ...] = ()


NO_MEMBERSHIP = Membership()


class MembershipIndex:
    """The stored memberships of all people. An index is never changed after it was made."""

    __slots__ = ("_memberships", "_numbers", "_parts")

    def __init__(self, parts: tuple[Part, ...], memberships: list[Membership], numbers: dict[Membership, int]) -> None:
        self._parts = parts
        # Append-only, so that older and newer indexes can share them.
        self._memberships = memberships
        self._numbers = numbers

    @classmethod
    def of(cls, holders: Iterable[tuple[Membership, bytes]]) -> "MembershipIndex":
        """Build the index from memberships and the CPFs of their holders, as big-endian numbers of eight bytes."""
        parts: list[list[int]] = [[] for _ in range(_PARTS)]
        memberships: list[Membership] = []
        for number, (membership, people) in enumerate(holders):
            memberships.append(membership)
            cpfs: Part = array("Q", people)
            if sys.byteorder == "little":
                cpfs.byteswap()
            for cpf in cpfs:
                parts[cpf % _PARTS].append(cpf << _BITS | number)
        numbers = {membership: number for number, membership in enumerate(memberships)}
        return cls(tuple(array("Q", sorted(part)) for part in parts), memberships, numbers)

    def find(self, cpf: Cpf | None) -> Membership:
        """Return the person's membership."""
        if cpf is None:
            return NO_MEMBERSHIP
        number = int(cpf.digits)
        part = self._parts[number % _PARTS]
        place = bisect_left(part, number << _BITS)
        if place < len(part) and part[place] >> _BITS == number:
            return self._memberships[part[place] & _MASK]
        return NO_MEMBERSHIP

    def __len__(self) -> int:
        """Return how many people have a membership."""
        return sum(map(len, self._parts))

    def replacing(self, changed: Mapping[str, Membership]) -> "MembershipIndex":
        """Return an index with these new memberships by CPF. A person with an empty membership is removed."""
        if not changed:
            return self
        parts = list(self._parts)
        keyed = sorted((int(cpf) % _PARTS, int(cpf), membership) for cpf, membership in changed.items())
        for number, people in groupby(keyed, itemgetter(0)):
            now = {cpf: membership for _, cpf, membership in people}
            kept = [one for one in parts[number] if one >> _BITS not in now]
            new = [
                cpf << _BITS | self._number(membership)
                for cpf, membership in now.items()
                if membership != NO_MEMBERSHIP
            ]
            parts[number] = array("Q", sorted([*kept, *new]))
        return MembershipIndex(tuple(parts), self._memberships, self._numbers)

    def _number(self, membership: Membership) -> int:
        number = self._numbers.get(membership)
        if number is None:
            number = self._numbers[membership] = len(self._memberships)
            self._memberships.append(membership)
        return number


EMPTY_INDEX = MembershipIndex((array("Q"),) * _PARTS, [], {})
