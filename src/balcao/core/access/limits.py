"""How often a caller may call: fixed windows, counted by the processes of one machine or, with Redis, of several.

On one machine counting needs no round trip and no await (`counts`). With `BALCAO_REDIS_URL` the `limits` library counts
in Redis; without an answer from there the limits fail open: a lost cache never refuses a citizen.
"""

import math
import time

from limits import RateLimitItem, parse
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter

from balcao.core.access.counts import Counts
from balcao.core.errors import TooMany
from balcao.core.logs import log

SANDBOX_FACTOR = 100
# How many denied attempts of one caller are recorded, and under which key they are counted.
DENIED = ("60/minute", "denied")


class Limits:
    """`generous` multiplies every limit by a hundred, as the sandbox profile wants.

    `remote` says that only `spend` and `within` count for all machines; otherwise `spend_here` does as well as `spend`.
    """

    def __init__(self, redis_url: str = "", *, generous: bool = False, counts: Counts | None = None) -> None:
        self.counts = counts or Counts()
        self.remote = bool(redis_url)
        if redis_url:
            self._storage = RedisStorage(f"async+{redis_url}", implementation="redispy")
            self._limiter = FixedWindowRateLimiter(self._storage)
        self._factor = SANDBOX_FACTOR if generous else 1
        self._items: dict[str, RateLimitItem] = {}
        self._rates: dict[str, tuple[int, int]] = {}

    async def spend(self, rate: str, *key: str) -> None:
        """Count one call under `key` against a rate such as `60/minute`. Raises TooMany."""
        if not self.remote:
            self.spend_here(rate, *key)
        elif not await self.within(rate, *key):
            reset = (await self._limiter.get_window_stats(self._item(rate), *key)).reset_time
            raise TooMany(retry_after=max(1, math.ceil(reset - time.time())))

    async def within(self, rate: str, *key: str) -> bool:
        """Count as `spend` does, but return whether the call is within the rate instead of raising."""
        if not self.remote:
            return self._hit(rate, key) <= 0
        try:
            return await self._limiter.hit(self._item(rate), *key)
        except Exception as failure:  # whatever the shared counter's client raises
            log.warning("limits.away", code=type(failure).__name__)
            return True

    def spend_here(self, rate: str, *key: str) -> None:
        """Count as `spend` does, on this machine alone and without an await. Raises TooMany."""
        over = self._hit(rate, key)
        if over > 0:
            raise TooMany(retry_after=max(1, math.ceil(over)))

    async def check(self) -> bool:
        """Return whether the shared counter responds; True where there is none."""
        return await self._storage.check() if self.remote else True

    def _hit(self, rate: str, key: tuple[str, ...]) -> float:
        """Count one call; return zero within the limit, else the seconds until the window ends."""
        known = self._rates.get(rate)
        if known is None:
            item = self._item(rate)
            known = self._rates[rate] = (item.amount, item.get_expiry())
        count, lasting = self.counts.hit(known[1], (rate, *key))
        return 0.0 if count <= known[0] else lasting

    def _item(self, rate: str) -> RateLimitItem:
        if rate not in self._items:
            item = parse(rate)
            self._items[rate] = type(item)(item.amount * self._factor, item.multiples, namespace="balcao")
        return self._items[rate]
