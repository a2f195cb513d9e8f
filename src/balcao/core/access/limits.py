"""How often a caller may call: counted by the `limits` library, in the process or in Redis for several machines.

Without the shared counter the limits fail open: a lost cache never refuses a citizen.
"""

import math
import time

from limits import RateLimitItem, parse
from limits.aio.storage import MemoryStorage, RedisStorage, Storage
from limits.aio.strategies import FixedWindowRateLimiter

from balcao.core.errors import TooMany
from balcao.core.logs import log

SANDBOX_FACTOR = 100
# How many denied attempts of one caller leave a trace, and under which key they are counted.
DENIED = ("60/minute", "denied")
MOST_WINDOWS = 100_000


class Limits:
    """`generous` multiplies every limit by a hundred, as the sandbox profile wants."""

    def __init__(self, redis_url: str = "", *, generous: bool = False) -> None:
        self.storage: Storage = (
            RedisStorage(f"async+{redis_url}", implementation="redispy") if redis_url else MemoryStorage()
        )
        self._limiter = FixedWindowRateLimiter(self.storage)
        self._factor = SANDBOX_FACTOR if generous else 1
        self._items: dict[str, RateLimitItem] = {}
        self.shared = bool(redis_url)
        self._windows: dict[tuple[str, ...], tuple[int, int]] = {}

    def spend_here(self, rate: str, *key: str) -> None:
        """Count one call in this process's own table. Raises TooMany."""
        item = self._item(rate)
        now, period = time.time(), item.get_expiry()
        window = int(now // period)
        name = (rate, *key)
        started, count = self._windows.get(name, (window, 0))
        if started != window:
            count = 0
        if count >= item.amount:
            raise TooMany(retry_after=max(1, math.ceil((window + 1) * period - now)))
        if len(self._windows) >= MOST_WINDOWS:
            self._windows.clear()
        self._windows[name] = (window, count + 1)

    async def spend(self, rate: str, *key: str) -> None:
        """Counts one call under `key` against a rate such as `60/minute`. Raises TooMany."""
        if not await self.within(rate, *key):
            reset = (await self._limiter.get_window_stats(self._item(rate), *key)).reset_time
            raise TooMany(retry_after=max(1, math.ceil(reset - time.time())))

    async def within(self, rate: str, *key: str) -> bool:
        """As `spend`, for what is left undone rather than refused."""
        try:
            return await self._limiter.hit(self._item(rate), *key)
        except Exception as failure:  # whatever the shared counter's client raises
            log.warning("limits.away", code=type(failure).__name__)
            return True

    def _item(self, rate: str) -> RateLimitItem:
        if rate not in self._items:
            item = parse(rate)
            self._items[rate] = type(item)(item.amount * self._factor, item.multiples, namespace="balcao")
        return self._items[rate]
