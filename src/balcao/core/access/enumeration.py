"""The enumeration guard: who tries one person's or company's number after the other is shut out for a while.

Refusals are counted where the limits are. That somebody is shut out stands in the machine's shared counts, so the calls
of everybody else cost a look into memory. With Redis each further machine learns it from one more refusal there.
"""

import math

from limits import parse

from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany

NUMBERS = frozenset({"cpf", "cnpj"})  # path parameters that can be guessed
_SHUT = "enumeration-shut"


class EnumerationGuard:
    """`rate` says how many refusals are let pass, such as `300/5 minutes`; its period is also that of the shutting."""

    def __init__(self, limits: Limits, rate: str) -> None:
        self._limits = limits
        self._rate = rate
        self._seconds = parse(rate).get_expiry()

    def refuse_shut(self, who: str) -> None:
        """Raises TooMany. `who` is a caller's key."""
        left = self._limits.counts.remaining((_SHUT, who))
        if left > 0:
            raise TooMany(code="probing", retry_after=math.ceil(left))

    async def count(self, who: str) -> None:
        """One more refusal of this caller."""
        if not await self._limits.within(self._rate, "enumeration", who):
            self._limits.counts.hit(self._seconds, (_SHUT, who))
