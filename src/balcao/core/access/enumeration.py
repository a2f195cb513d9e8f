"""The enumeration guard temporarily blocks a caller who tries one CPF, CNPJ or phone number after another.

Refusals are counted like rate limits. A block is stored in the counts that the machine's processes share, so checking a
call is only a look-up in memory. With Redis, every other machine blocks the caller after the next refusal there.
"""

import math

from limits import parse

from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany

NUMBERS = frozenset({"cpf", "cnpj", "number"})  # guessable path parameters; `number` is a phone number
_BLOCKED = "enumeration-blocked"


class EnumerationGuard:
    """A guard that blocks a caller after more refusals than `rate` allows, such as `300/5 minutes`.

    A block lasts for the rate's period.
    """

    def __init__(self, limits: Limits, rate: str) -> None:
        self._limits = limits
        self.change_rate(rate)

    def change_rate(self, rate: str) -> None:
        """Set the rate of refusals. Callers who are already blocked stay blocked for the period of the former rate."""
        self._rate = rate
        self._seconds = parse(rate).get_expiry()

    def refuse_shut(self, who: str) -> None:
        """Raise TooMany if the caller with the key `who` is blocked."""
        left = self._limits.counts.remaining((_BLOCKED, who))
        if left > 0:
            raise TooMany(code="enumeration", retry_after=math.ceil(left))

    async def count(self, who: str) -> None:
        """Count a refusal of this caller, and block the caller if there were too many."""
        if not await self._limits.within(self._rate, "enumeration", who):
            self._limits.counts.hit(self._seconds, (_BLOCKED, who))
