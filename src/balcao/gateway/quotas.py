"""Limit each address's share of the resources of a process: connections, and memory for request bodies."""

from collections import Counter
from collections.abc import Callable

_FREE_SHARE_DIVISOR = 3


class Quota:
    """A limit on how much of `total` callers may hold, for each address and in total.

    - An address holds at most `most`, and at most a third of what then remains free. The more addresses hold their
      maximum, the less the next address can get, so even dozens of greedy addresses leave something for a new address.
    - Trusted addresses call for many people and have no individual limit.
    - All trusted addresses together hold at most three quarters, and so do all other addresses together. Neither group
      can lock out the other.
    """

    def __init__(self, total: int, is_trusted: Callable[[str], bool], most: int | None = None) -> None:
        self._total = total
        self._of_group = total - total // 4
        self._most = total if most is None else most
        self._is_trusted = is_trusted
        self._held: Counter[str] = Counter()
        self._sums = {True: 0, False: 0}
        self.refused = 0

    @property
    def held(self) -> int:
        """Return the amount that all callers hold."""
        return self._sums[True] + self._sums[False]

    def reserve(self, address: str, amount: int) -> bool:
        """Add the amount to the address's share if the limits allow it. Return whether they do."""
        is_trusted = self._is_trusted(address)
        left = min(self._of_group - self._sums[is_trusted], self._total - self.held) - amount
        holds = self._held[address] + amount
        if left < 0 or not (is_trusted or holds <= min(self._most, left // _FREE_SHARE_DIVISOR)):
            self.refused += 1
            return False
        self._held[address] = holds
        self._sums[is_trusted] += amount
        return True

    def release(self, address: str, amount: int) -> None:
        """Release an amount that `reserve` added for the address."""
        self._sums[self._is_trusted(address)] -= amount
        self._held[address] -= amount
        if not self._held[address]:
            del self._held[address]

    def count_refused(self) -> int:
        """Return how often `reserve` refused since the last call, and reset the count."""
        refused, self.refused = self.refused, 0
        return refused
