"""How many calls each service answers, and how, over time: five minutes for a plot, days for a service level.

A request costs nothing more: every few seconds a process adds what its meters counted since, to the rows that all
processes share. While the database is away it keeps the numbers by the five minutes they are of, and adds them later. A
killed process loses those of the last seconds; a commit whose confirmation is lost counts its numbers twice.
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
KEPT: dict[Span, timedelta] = {FIVE_MINUTES: timedelta(days=8), DAY: timedelta(days=400)}
_STEP = timedelta(minutes=5)


@dataclass(frozen=True)
class ResponseCount:
    """What a service answered from `starts_at` on: `refusals` are 4xx, `faults` 5xx, `slow` took over half a second.

    `times` are the responses by the bounds of the metrics; none where nobody counted them.
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
        """Return the times as one value of many: an array of arrays comes apart on its way."""
        return "{" + ",".join(map(str, self.times)) + "}"


# In the order of the key, so that two processes never wait for each other in a circle.
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
    """Add to what is there; no two of `counts` have the same key."""


@statement("""
SELECT span, starts_at, service, responses, refusals, faults, slow, seconds, coalesce(times, '{}') AS times
FROM platform.response_count
WHERE span = :span AND starts_at >= :since ORDER BY service, starts_at
""")
async def list_response_counts(connection: Connection, span: Span, since: datetime) -> list[ResponseCount]:
    """Return what was answered from `since` on, by service and time; a service that nobody called has no row."""


@statement("SELECT count(*) FROM platform.response_count WHERE span = :span")
async def count_rows(connection: Connection, span: Span) -> int:
    """Return how many rows there are of the span."""


@statement("DELETE FROM platform.response_count WHERE span = :span AND starts_at < now() - :age::interval")
async def delete_old_counts(connection: Connection, span: Span, age: timedelta) -> int:
    """Delete what is older; return how many rows it was."""


class Recorder:
    """Takes what the meters counted since the last time, and adds it to the rows; of one process."""

    def __init__(self, database: Database, telemetry: Telemetry, zone: ZoneInfo) -> None:
        self._database = database
        self._telemetry = telemetry
        self._zone = zone
        self._before = telemetry.by_service()
        self._waiting: dict[tuple[Span, datetime, str], ServiceNumbers] = {}

    async def flush(self, now: datetime) -> None:
        """Add what was counted until now. Raises Unavailable while the database is away, and keeps it."""
        self._collect(now)
        if self._waiting:
            counts = [ResponseCount(*key, **numbers._asdict()) for key, numbers in self._waiting.items()]
            # Not the statement alone: one that a server at a standstill is sent, it runs when it goes on, and with a
            # BEGIN before it none is sent.
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
        """Flush; while the database is away what was counted is kept for the next time."""
        try:
            await self.flush(utc_now())
        except BalcaoError as fault:
            log.warning("response_counts.not_written", code=fault.code)


def begin_five_minutes(now: datetime) -> datetime:
    """Return the instant at which the five minutes of `now` began."""
    return now - timedelta(seconds=now.timestamp() % _STEP.total_seconds())


def begin_day(now: datetime, zone: ZoneInfo) -> datetime:
    """Return the instant at which the day of `now` began in the city."""
    return datetime.combine(now.astimezone(zone), datetime.min.time(), zone)


@asynccontextmanager
async def recording(database: Database, telemetry: Telemetry, zone: ZoneInfo) -> AsyncIterator[None]:
    """Record what this process answers while the block lasts, the last of it at its end."""
    recorder = Recorder(database, telemetry, zone)
    try:
        async with repeating(recorder.flush_if_possible, FLUSH_SECONDS):
            yield
    finally:
        await recorder.flush_if_possible()
