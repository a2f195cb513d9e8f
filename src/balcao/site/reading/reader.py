"""Read the services through the cache, and use a stale answer for a while if a service fails.

Bounds:

- Answers that a visitor's own text selects, such as the results of a search, have a small separate cache. A flood of
  invented searches evicts only other searches.
- A visitor's address may cause only a limited number of calls, because the services count the whole site as one caller.
  Answers from the cache cost nothing.
- All visitors who ask for the same answer share one call. A failed call, including a 404, is not repeated for two
  seconds.
- Few pages at a time start to read answers that the site has never had, and the others wait. So five hundred people who
  ask for different things are all answered, one after the other. The limit for each address is as in the panel.
- An answer about the city that is renewed does not wait behind these pages. If its call takes longer than a second,
  visitors get the stale answer. So a flood of invented addresses does not hold up the pages that most people read.
"""

import asyncio
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar, cast

import httpx
import msgspec
from msgspec.json import encode

from balcao.core.errors import TooMany
from balcao.core.http.responses import MOVED, NOT_MODIFIED
from balcao.core.values.clock import utc_now
from balcao.site.reading.cache import AnswerCache, Entry
from balcao.site.reading.flights import Flights
from balcao.site.reading.machine import Crowded, MachineClient
from balcao.web.api import NO_QUERY, ApiFault, NotFound, RateLimited, ServiceUnavailable, decode_body, to_fault
from balcao.web.faults import PageFault
from balcao.web.page_limiter import PageLimiter
from balcao.web.sessions.session import SessionOver

T = TypeVar("T")
NO_HEADERS: Mapping[str, str] = {}
Key = tuple[str, tuple[tuple[str, str], ...], Any]

MIB = 1_048_576
# The cache sizes for answers about the city and for answers that visitors' texts select: 32 MiB in total.
CITY_BYTES, CHOSEN_BYTES = 24 * MIB, 8 * MIB
# The maximum age of an answer that is used because its service fails.
HOUR, TEN_MINUTES, NEVER = 3_600.0, 600.0, 0.0
# Wait at most this long for the renewal of an answer whose service may fail. Then use the stale answer.
PATIENCE_SECONDS = 1.0
# Remember a failure for this long, so that not every visitor waits for the timeout of a service that is down.
PAUSE_SECONDS = 2.0
# Use an answer without asking the service for at most this long, even if the service allows more.
LONGEST_FRESH_SECONDS = 300.0
_MAX_AGE = re.compile(r"(?:^|[\s,])max-age=(\d{1,9})")


class Moved(Exception):
    """Raised if a service or job has a new slug."""

    def __init__(self, slug: str) -> None:
        super().__init__(slug)
        self.slug = slug


class _Moved(msgspec.Struct):
    slug: str


class Exceeded(RateLimited):
    """Raised if a visitor's address has caused too many calls. No service has failed."""

    def __init__(self, retry_after: int) -> None:
        super().__init__("Muitas páginas em pouco tempo.", status=429)
        self.retry_after = retry_after


class Turn:
    """The turn of one page, which this address requested. Only the first call of a page waits for a slot."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.is_taken = False


class Source:
    """The shared access of one process to the services: its caches, its calls in flight, and known outages."""

    def __init__(self, machine: MachineClient) -> None:
        self._machine = machine
        self._city = AnswerCache(CITY_BYTES)
        self._chosen = AnswerCache(CHOSEN_BYTES)
        self._flights: Flights[Entry] = Flights()
        self._down_since: dict[str, datetime] = {}
        self._starts = PageLimiter()

    async def stop(self) -> None:
        """Cancel the calls in flight."""
        await self._flights.stop()
        await self._machine.stop()

    def find_outage(self, service: str) -> datetime | None:
        """Return when a service started to fail, or None if its last call succeeded. `service` is its path prefix."""
        return self._down_since.get(service)

    async def read(
        self,
        path: str,
        kind: type[T],
        query: Mapping[str, Any],
        *,
        stale: float,
        is_chosen: bool,
        charge: Callable[[], None],
        turn: Turn,
    ) -> Entry:
        """Return an answer from the cache or from the service. See `Reader.get`. `turn` is the page's turn."""
        cache = self._chosen if is_chosen else self._city
        key: Key = (path, tuple(sorted((name, str(value)) for name, value in query.items())), kind)
        entry, now = cache.get(key) or self._chosen.get(key), time.monotonic()
        if entry is not None and now < entry.fresh_until:
            return entry
        if entry is not None and entry.fault is not None and now < entry.retry_at:
            return _use_stale(entry, stale, entry.fault)
        if not self._flights.is_running(key):
            charge()
        usable = entry if entry is not None and now - entry.read_at <= stale else None
        is_renewal = entry is not None and entry.has_value and not is_chosen

        async def call() -> Entry:
            async with nullcontext() if is_renewal else self._take(turn):
                return await self._call(cache, key, kind, query, entry)

        try:
            async with asyncio.timeout(PATIENCE_SECONDS if usable else None):
                return await self._flights.join(key, call)
        except TimeoutError:
            assert usable  # only then is there a time limit
            return replace(usable, fault=_LATE)
        except (ServiceUnavailable, RateLimited) as fault:
            return _use_stale(cache.get(key) or self._chosen.get(key), stale, fault)

    @asynccontextmanager
    async def _take(self, turn: Turn) -> AsyncIterator[None]:
        """Hold one of the slots for pages that start to read, unless the page has had its turn.

        Raises Crowded if no slot is free in time.
        """
        async with AsyncExitStack() as held:
            if not turn.is_taken:
                try:
                    await held.enter_async_context(self._starts.acquire(turn.address.encode()))
                except PageFault:
                    raise Crowded from None
            turn.is_taken = True
            yield

    async def read_newest(self, path: str, kind: type[T], query: Mapping[str, Any], turn: Turn) -> T:
        """Call the service without the cache and return its answer.

        Raises ApiFault if the call failed or was refused, and Moved if the slug has changed.
        """
        async with self._take(turn):
            with self._watching(path):
                return decode_body(_require_success(await self._machine.get(path, query)), kind)

    async def send(self, path: str, kind: type[T], body: Any, headers: Mapping[str, str]) -> T:
        """Call a public operation that writes, or whose query must not appear in an address.

        Raises ApiFault if the call failed or was refused.
        """
        with self._watching(path):
            return decode_body(_require_success(await self._machine.post(path, encode(body), headers)), kind)

    @contextmanager
    def _watching(self, path: str) -> Iterator[None]:
        """Set the service's name in the errors of a call, and record since when the service has failed."""
        service = _name_service(path)
        try:
            yield
        except ApiFault as fault:
            fault.service = service
            if isinstance(fault, ServiceUnavailable) and not isinstance(fault, Crowded):
                self._down_since.setdefault(service, utc_now())
            raise
        self._down_since.pop(service, None)

    async def _call(
        self, cache: AnswerCache, key: Key, kind: type[T], query: Mapping[str, Any], known: Entry | None
    ) -> Entry:
        path = key[0]
        try:
            answer = await self._machine.get(path, query, known.etag if known else "")
            entry = _read_entry(answer, kind, known)
        except NotFound as fault:
            # Use the cache for visitors' texts: the visitor may have invented the address, and it must not evict
            # answers about the city.
            cache.drop(key)
            self._chosen.put(key, replace(_UNREAD, fault=fault, retry_at=time.monotonic() + PAUSE_SECONDS))
            raise
        except Crowded:
            raise
        except (ServiceUnavailable, RateLimited) as fault:
            fault.service = _name_service(path)
            if isinstance(fault, ServiceUnavailable):
                self._down_since.setdefault(_name_service(path), utc_now())
            retry_at = time.monotonic() + PAUSE_SECONDS
            failed = replace(known or _UNREAD, fault=fault, retry_at=retry_at)
            (cache if known else self._chosen).put(key, failed)
            raise
        self._down_since.pop(_name_service(path), None)
        cache.put(key, entry)
        return entry


_LATE = ServiceUnavailable("O serviço demora a responder.")
_UNREAD = Entry(None, "", read_at=float("-inf"), fresh_until=float("-inf"), size=0)


def _use_stale(entry: Entry | None, stale: float, fault: ApiFault) -> Entry:
    """Return the stale answer that a failed call should have renewed. Raises the fault if the answer is too old."""
    if entry is not None and time.monotonic() - entry.read_at <= stale:
        return entry
    # The same exception is raised for many visitors. Without this reset, its traceback would grow each time.
    raise fault.with_traceback(None)


def _read_entry(answer: httpx.Response, kind: type[T], known: Entry | None) -> Entry:
    """Decode an answer.

    Raises Moved if the slug has changed, and ApiFault if the call failed or was refused.
    """
    now = time.monotonic()
    fresh_until = now + _read_max_age(answer)
    if answer.status_code == NOT_MODIFIED and known is not None:
        return Entry(known.value, known.etag, now, fresh_until, known.size)
    return Entry(
        decode_body(_require_success(answer), kind),
        answer.headers.get("etag", ""),
        now,
        fresh_until,
        len(answer.content),
    )


def _require_success(answer: httpx.Response) -> httpx.Response:
    """Return the answer of a successful call.

    Raises Moved if the slug has changed, and ApiFault if the call failed or was refused.
    """
    if answer.status_code == MOVED:
        raise Moved(decode_body(answer, _Moved).slug)
    if answer.status_code >= 300:
        try:
            raise to_fault(answer)
        except SessionOver:
            raise ServiceUnavailable("O site não pôde se identificar.", status=401) from None
    return answer


def _read_max_age(answer: httpx.Response) -> float:
    found = _MAX_AGE.search(answer.headers.get("cache-control", ""))
    return min(float(found[1]), LONGEST_FRESH_SECONDS) if found else 0.0


def _name_service(path: str) -> str:
    return path.split("/", 2)[1]


class Reader:
    """Reads data from the services for one page. `charge` counts a call against the visitor's address, `address`.

    When data is sent to a service, `headers` identify the visitor's address and the request. If the page contains stale
    answers because their services failed, `checked_at` is the time of the oldest one.
    """

    def __init__(
        self, source: Source, address: str, charge: Callable[[], None], headers: Mapping[str, str] = NO_HEADERS
    ) -> None:
        self._source = source
        self._charge = charge
        self._headers = headers
        self._turn = Turn(address)
        self.checked_at: datetime | None = None

    async def get(
        self,
        path: str,
        kind: type[T],
        query: Mapping[str, Any] = NO_QUERY,
        *,
        stale: float = HOUR,
        is_chosen: bool = False,
    ) -> T:
        """Return an answer of a service, decoded as `kind`. Parameters that are None are left out.

        - `stale` is how many seconds old the answer may be if the service fails.
        - `is_chosen` must be True if a visitor's own text selects the answer, as in a search.

        Raises ApiFault if the call failed, Moved if the service has another slug, and Exceeded if the address has
        caused too many calls.
        """
        wanted = {name: value for name, value in query.items() if value is not None}
        entry = await self._source.read(
            path, kind, wanted, stale=stale, is_chosen=is_chosen, charge=self._count, turn=self._turn
        )
        if entry.fault is not None:
            checked = utc_now() - timedelta(seconds=time.monotonic() - entry.read_at)
            self.checked_at = min(self.checked_at or checked, checked)
        return cast(T, entry.value)

    async def read_newest(self, path: str, kind: type[T], query: Mapping[str, Any] = NO_QUERY) -> T:
        """Call the service without the cache and return its answer.

        Raises the same errors as `get`.
        """
        self._count()
        return await self._source.read_newest(path, kind, query, self._turn)

    async def send(self, path: str, kind: type[T], body: Any, *, key: str = "") -> T:
        """Send data to a public operation, at most once for each `key`.

        Raises ApiFault if the call failed, and Exceeded if the address has caused too many calls.
        """
        self._count()
        keyed = {"Idempotency-Key": key} if key else {}
        return await self._source.send(path, kind, body, {**self._headers, **keyed})

    def _count(self) -> None:
        try:
            self._charge()
        except TooMany as fault:
            raise Exceeded(fault.retry_after or 1) from None
