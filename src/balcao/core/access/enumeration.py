"""The enumeration guard: a caller who tries one CPF, CNPJ or phone number after the other is blocked for a while.

Refusals are counted where the limits are. A block stands in the machine's shared counts, so the calls of everybody else
cost a look into memory. With Redis each further machine learns of it by one more refusal there.
"""

import math

from limits import parse

from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany

NUMBERS = frozenset({"cpf", "cnpj", "number"})  # path parameters that can be guessed; `number` is a phone's
_BLOCKED = "enumeration-blocked"


class EnumerationGuard:
    """`rate` is how many refusals are tolerated, such as `300/5 minutes`; a block lasts for the same period."""

    def __init__(self, limits: Limits, rate: str) -> None:
        self._limits = limits
        self.change_rate(rate)

    def change_rate(self, rate: str) -> None:
        """Tolerate this many refusals from now on; who is blocked stays so for the former period."""
        self._rate = rate
        self._seconds = parse(rate).get_expiry()

    def refuse_shut(self, who: str) -> None:
        """Raise TooMany for a blocked caller; `who` is a caller's key."""
        left = self._limits.counts.remaining((_BLOCKED, who))
        if left > 0:
            raise TooMany(code="enumeration", retry_after=math.ceil(left))

    async def count(self, who: str) -> None:
        """Count one more refusal of this caller, and block who has had too many."""
        if not await self._limits.within(self._rate, "enumeration", who):
            self._limits.counts.hit(self._seconds, (_BLOCKED, who))
