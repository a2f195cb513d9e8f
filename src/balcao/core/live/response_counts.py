"""Count each service's responses: per five minutes for charts, and per day for service levels.

The counts cost requests nothing. Every few seconds, each process adds the new counts of its meters to rows that all
processes share. While the database is down, a process retains its counts and adds them later. A killed process loses
the counts of its last seconds. If the confirmation of a commit is lost, the counts in it are added twice.
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal
from zoneinfo import ZoneInfo

from balcao.core.database.pool import Connection, Database
from balcao.core.database.statements import statement
from balcao.core.errors import BalcaoError
from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.core.telemetry import ServiceNumbers, Telemetry
from balcao.core.values.clock import utc_now

FLUSH_SECONDS = 10.0
FIVE_MINUTES: Literal["5m"] = "5m"
DAY: Literal["day"] = "day"
Span = Literal["5m", "day"]
RETENTION_PERIOD: dict[Span, timedelta] = {FIVE_MINUTES: timedelta(days=8), DAY: timedelta(days=400)}
_STEP = timedelta(minutes=5)


@dataclass(frozen=True)
class ResponseCount:
    """The responses of a service from `starts_at` on: `refusals` are 4xx, `faults` 5xx, `slow` took over half a second.

    `times` contains the number of responses in each bucket of the metrics. It is empty if it was not recorded.
    """

    span: str
    starts_at: datetime
    service: str
    responses: int
    refusals: int
    faults: int
    slow: int
    seconds: float
    times: Sequence[int] = ()

    @property
    def written_times(self) -> str:
        """Return `times` as one string, because `unnest` would flatten an array of arrays."""
        return "{" + ",".join(map(str, self.times)) + "}"


# Sort the rows by key, so that two processes cannot deadlock.
@statement("""
INSERT INTO platform.response_count AS kept
SELECT span, starts_at, service, responses, refusals, faults, slow, seconds, times::bigint[]
FROM unnest(:counts.span::text[], :counts.starts_at::timestamptz[], :counts.service::text[],
            :counts.responses::bigint[], :counts.refusals::bigint[], :counts.faults::bigint[],
            :counts.slow::bigint[], :counts.seconds::float8[], :counts.written_times::text[])
     AS counted (span, starts_at, service, responses, refusals, faults, slow, seconds, times)
ORDER BY span, starts_at, service
ON CONFLICT (span, starts_at, service) DO UPDATE
SET responses = kept.responses + excluded.responses, refusals = kept.refusals + excluded.refusals,
    faults = kept.faults + excluded.faults, slow = kept.slow + excluded.slow, seconds = kept.seconds + excluded.seconds,
    times = (SELECT array_agg(coalesce(before, 0) + coalesce(added, 0) ORDER BY place)
             FROM unnest(kept.times, excluded.times) WITH ORDINALITY AS both_of (before, added, place))
""")
async def _add_counts(connection: Connection, counts: Sequence[ResponseCount]) -> None:
    """Add the counts to the stored counts. No two of `counts` may have the same key."""


@statement("""
SELECT span, starts_at, service, responses, refusals, faults, slow, seconds, coalesce(times, '{}') AS times
FROM platform.response_count
WHERE span = :span AND starts_at >= :since ORDER BY service, starts_at
""")
async def list_response_counts(connection: Connection, span: Span, since: datetime) -> list[ResponseCount]:
    """Return the counts since `since`, sorted by service and time. A service without calls has no rows."""


@statement("SELECT count(*) FROM platform.response_count WHERE span = :span")
async def count_rows(connection: Connection, span: Span) -> int:
    """Return the number of rows for this span."""


@statement("DELETE FROM platform.response_count WHERE span = :span AND starts_at < now() - :age::interval")
async def delete_old_counts(connection: Connection, span: Span, age: timedelta) -> int:
    """Delete rows of this age, and return how many were deleted."""


class Recorder:
    """A recorder that regularly adds the new counts of one process's meters to the shared rows."""

    def __init__(self, database: Database, telemetry: Telemetry, zone: ZoneInfo) -> None:
        self._database = database
        self._telemetry = telemetry
        self._zone = zone
        self._before = telemetry.by_service()
        self._waiting: dict[tuple[Span, datetime, str], ServiceNumbers] = {}

    async def flush(self, now: datetime) -> None:
        """Add all counts up to now. If the database is down, retain the counts and raise Unavailable."""
        self._collect(now)
        if self._waiting:
            counts = [ResponseCount(*key, **numbers._asdict()) for key, numbers in self._waiting.items()]
            # Use a transaction although there is only one statement. A frozen server runs a statement that it has
            # received when it resumes, although this process has given up and retained the counts. In a transaction, it
            # has received only the BEGIN.
            async with self._database.transaction() as connection:
                await _add_counts(connection, counts)
            self._waiting.clear()

    def _collect(self, now: datetime) -> None:
        counted = self._telemetry.by_service()
        moments: dict[Span, datetime] = {FIVE_MINUTES: begin_five_minutes(now), DAY: begin_day(now, self._zone)}
        for service, numbers in counted.items():
            added = numbers.minus(self._before.get(service, ServiceNumbers()))
            if added.responses:
                for span, starts_at in moments.items():
                    key = (span, starts_at, service)
                    self._waiting[key] = self._waiting.get(key, ServiceNumbers()).plus(added)
        self._before = counted

    async def flush_if_possible(self) -> None:
        """Flush. If the database is down, retain the counts for the next time and log a warning."""
        try:
            await self.flush(utc_now())
        except BalcaoError as fault:
            log.warning("response_counts.not_written", code=fault.code)


def begin_five_minutes(now: datetime) -> datetime:
    """Return the start of the five-minute period that contains `now`."""
    return now - timedelta(seconds=now.timestamp() % _STEP.total_seconds())


def begin_day(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the start of the day that contains `now`, in the city's time zone."""
    return datetime.combine(now.astimezone(zone), datetime.min.time(), zone)


@asynccontextmanager
async def record_response_counts(database: Database, telemetry: Telemetry, zone: ZoneInfo) -> AsyncIterator[None]:
    """Record this process's responses while the block runs, and once more at its end."""
    recorder = Recorder(database, telemetry, zone)
    try:
        async with repeating(recorder.flush_if_possible, FLUSH_SECONDS):
            yield
    finally:
        await recorder.flush_if_possible()
