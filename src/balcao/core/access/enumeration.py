"""Whoever tries one number after the other: too many refusals on paths of persons and companies shut them for a while.

Refusals are counted where the limits are, for all machines. That somebody is shut is known to each process that has
refused them since, so the calls of everybody else cost no look-up.
"""

import math
import time

from limits import parse

from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany

NUMBERS = frozenset({"cpf", "cnpj"})  # path parameters that can be guessed


class Probing:
    """`rate` says how many refusals are let pass, such as `300/5 minutes`; its period is also that of the shutting."""

    def __init__(self, limits: Limits, rate: str) -> None:
        self._limits = limits
        self._rate = rate
        self._seconds = parse(rate).get_expiry()
        self._until: dict[str, float] = {}

    def refuse_shut(self, who: str) -> None:
        """Raises TooMany."""
        until = self._until.get(who)
        if until is None:
            return
        left = until - time.monotonic()
        if left <= 0:
            self._until.pop(who, None)
            return
        raise TooMany(code="probing", retry_after=math.ceil(left))

    async def count(self, who: str) -> None:
        """One more refusal of this caller."""
        if await self._limits.within(self._rate, "probing", who):
            return
        now = time.monotonic()
        self._until = {caller: until for caller, until in self._until.items() if until > now}
        self._until[who] = now + self._seconds
