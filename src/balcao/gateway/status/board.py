"""The status of the services, read from the database every few seconds and retained while the database is down."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from balcao.core.access.live import Change
from balcao.core.database.pool import Database
from balcao.core.errors import BalcaoError
from balcao.core.live import incidents, maintenance, response_counts
from balcao.core.live.incidents import Incident
from balcao.core.live.response_counts import DAY, FIVE_MINUTES, ResponseCount
from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.core.values.clock import utc_now
from balcao.gateway.status.judgement import (
    DAYS,
    RECENT,
    Day,
    State,
    is_recent,
    judge_service,
    list_status_days,
    measure_share,
)

READ_SECONDS = 10.0
MOST_INCIDENTS = 100


@dataclass(frozen=True)
class Snapshot:
    """The data that were read from the database at `read_at`."""

    read_at: datetime
    days: Mapping[str, Sequence[ResponseCount]]
    recent: Mapping[str, Sequence[ResponseCount]]
    incidents: Sequence[Incident]
    maintenance: Sequence[Change]
    planned: Sequence[Change]


@dataclass(frozen=True)
class ServiceStatus:
    """The status of one service. `availability` covers all ninety days."""

    name: str
    title: str
    state: State
    message: str | None
    availability: float | None
    days: Sequence[Day]


@dataclass(frozen=True)
class Board:
    """Everything that the page shows. `is_current` means that the last read of the database succeeded."""

    read_at: datetime
    is_current: bool
    services: Sequence[ServiceStatus]
    open: Sequence[Incident]
    resolved: Sequence[Incident]
    planned: Sequence[Change]


class StatusCache:
    """The cached data of the status page, so that visits cause no SQL statement.

    `titles` maps service names to titles.
    """

    def __init__(self, database: Database, zone: ZoneInfo, titles: Mapping[str, str]) -> None:
        self.zone = zone
        self.titles = titles
        self._database = database
        self._knowledge: Snapshot | None = None
        self._is_current = False

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[None]:
        """Read the data immediately, and then every few seconds while the block runs."""
        await self._try_to_read()
        async with repeating(self._try_to_read, READ_SECONDS):
            yield

    def show(self, now: datetime) -> Board:
        """Derive the status from the cached data. While the database is down, the state of every service is unknown."""
        known = self._knowledge or Snapshot(now, {}, {}, [], [], [])
        return Board(
            known.read_at,
            self._is_current,
            [self._judge(known, name, title, now) for name, title in self.titles.items()],
            [incident for incident in known.incidents if incident.resolved_at is None],
            [incident for incident in known.incidents if incident.resolved_at is not None],
            known.planned,
        )

    def _judge(self, known: Snapshot, name: str, title: str, now: datetime) -> ServiceStatus:
        closed = next((change for change in known.maintenance if change.name == name), None)
        severities = [each.severity for each in known.incidents if each.resolved_at is None and name in each.services]
        recent = [count for count in known.recent.get(name, ()) if is_recent(count, now)]
        state = judge_service(recent, severities, is_closed=closed is not None) if self._is_current else State.UNKNOWN
        days = known.days.get(name, ())
        today = now.astimezone(self.zone).date()
        message = closed.value if closed and state is State.MAINTENANCE else None
        return ServiceStatus(name, title, state, message, measure_share(days), list_status_days(days, today))

    async def _try_to_read(self) -> None:
        try:
            self._knowledge, self._is_current = await self._read(utc_now()), True
        except BalcaoError as fault:
            if self._is_current:
                log.warning("status.not_read", code=fault.code)
            self._is_current = False

    async def _read(self, now: datetime) -> Snapshot:
        first_day = response_counts.begin_day(now, self.zone) - timedelta(days=DAYS - 1)
        async with self._database.connection() as connection:
            return Snapshot(
                now,
                self._by_service(await response_counts.list_response_counts(connection, DAY, first_day)),
                self._by_service(await response_counts.list_response_counts(connection, FIVE_MINUTES, now - RECENT)),
                await incidents.list_incidents(connection, first_day, MOST_INCIDENTS),
                await maintenance.list_closed(connection),
                await maintenance.list_planned(connection),
            )

    def _by_service(self, counts: Sequence[ResponseCount]) -> Mapping[str, Sequence[ResponseCount]]:
        """Group the counts by service, and convert their times to the city's time zone."""
        found: dict[str, list[ResponseCount]] = {}
        for count in counts:
            local = count.starts_at.astimezone(self.zone)
            found.setdefault(count.service, []).append(replace(count, starts_at=local))
        return found
