"""Rate limits for callers: fixed windows, counted across the processes of one machine or, with Redis, several machines.

On one machine, counting needs no round trip and no await (`counts`). With `BALCAO_REDIS_URL`, the `limits` library
counts in Redis. While Redis is down, each machine counts separately, so losing Redis causes no refusals.
"""

import math
import time

from limits import RateLimitItem, parse
from limits.aio.storage import RedisStorage
from limits.aio.strategies import FixedWindowRateLimiter

from balcao.core.access.counts import Counts
from balcao.core.errors import TooMany
from balcao.core.logs import log
from balcao.core.telemetry import counter

# The timeout for a call to Redis, and the pause before the next call to Redis after a failure.
ANSWER_SECONDS = 0.25
DOWN_SECONDS = 1.0
# How many denials of one caller are recorded per minute, and the key under which they are counted.
DENIED = ("60/minute", "denied")
_FAILURES = counter("balcao_limits_away", "Times that the shared counter did not answer")


class Limits:
    """The counters for the rate limits.

    `spend` and `within` count for all machines if `remote` is true, and otherwise only for this machine. `spend_here`
    always counts only for this machine.
    """

    def __init__(self, redis_url: str = "", *, counts: Counts | None = None) -> None:
        self.counts = counts or Counts()
        self.remote = bool(redis_url)
        if redis_url:
            from redis.asyncio import ConnectionPool  # import the client only if Redis is used

            self._connections = ConnectionPool.from_url(
                redis_url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS
            )
            self._storage = RedisStorage(
                f"async+{redis_url}",
                implementation="redispy",
                connection_pool=self._connections,  # type: ignore[arg-type]  # typed too narrowly
            )
            self._limiter = FixedWindowRateLimiter(self._storage)
        self._asked_again_at = -math.inf  # an instant of the monotonic clock
        self._items: dict[str, RateLimitItem] = {}
        self._rates: dict[str, tuple[int, int]] = {}

    async def spend(self, rate: str, *key: str, amount: int = 1) -> None:
        """Count one call under `key` against a rate such as `60/minute`. Raises TooMany if the rate is exceeded.

        A call that handles several items counts as `amount` calls. An `amount` of 0 checks the rate without counting.
        """
        over = await self._count(rate, key, amount)
        if over > 0:
            raise TooMany(retry_after=max(1, math.ceil(over)))

    async def within(self, rate: str, *key: str, amount: int = 1) -> bool:
        """Count as `spend` does, but return whether the call is within the rate instead of raising."""
        return await self._count(rate, key, amount) <= 0

    async def _count(self, rate: str, key: tuple[str, ...], amount: int) -> float:
        """Count the calls for all machines or this one. Return 0 within the limit, otherwise the seconds to wait."""
        if not self.remote or time.monotonic() < self._asked_again_at:
            return self._hit(rate, key, amount)
        try:
            item = self._item(rate)
            if await self._limiter.hit(item, *key, cost=amount):
                return 0.0
            return max((await self._limiter.get_window_stats(item, *key)).reset_time - time.time(), 1.0)
        except Exception as failure:  # the Redis client raises many kinds of errors
            self._asked_again_at = time.monotonic() + DOWN_SECONDS
            _FAILURES.inc()
            log.warning("limits.away", code=type(failure).__name__)
            return self._hit(rate, key, amount)

    def spend_here(self, rate: str, *key: str, amount: int = 1) -> None:
        """Count as `spend` does, but only on this machine and without an await.

        Raises TooMany if the rate is exceeded.
        """
        over = self._hit(rate, key, amount)
        if over > 0:
            raise TooMany(retry_after=max(1, math.ceil(over)))

    async def check(self) -> bool:
        """Return whether Redis responds. True if Redis is not used."""
        return await self._storage.check() if self.remote else True

    async def close(self) -> None:
        """Close the connections to Redis."""
        if self.remote:
            await self._connections.aclose()

    def _hit(self, rate: str, key: tuple[str, ...], amount: int = 1) -> float:
        """Count the calls. Return zero within the limit, otherwise the seconds until the window ends."""
        known = self._rates.get(rate)
        if known is None:
            item = self._item(rate)
            known = self._rates[rate] = (item.amount, item.get_expiry())
        count, lasting = self.counts.hit(known[1], (rate, *key), amount)
        return 0.0 if count <= known[0] else lasting

    def _item(self, rate: str) -> RateLimitItem:
        if rate not in self._items:
            item = parse(rate)
            self._items[rate] = type(item)(item.amount, item.multiples, namespace="balcao")
        return self._items[rate]
