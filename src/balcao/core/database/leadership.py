"""Reject a former primary: a server that still accepts writes after another server was promoted.

A promotion starts a new timeline, whose number is higher than every earlier one. So the server with the highest
timeline is the primary. A server with a lower timeline must not be used, even if it accepts connections again.
"""

import time
from collections.abc import Callable, Hashable
from functools import cache
from typing import NamedTuple

import asyncpg

from balcao.core.logs import log
from balcao.core.telemetry import telemetry

# Every attempt to connect checks all servers, which is many times a second while no other server accepts writes.
LOG_SECONDS = 60.0

_REFUSED = telemetry.counter(
    "balcao_database_former_primary", "Connections to a database server that must not be used", "server"
)

# The name of a WAL file begins with the timeline. `pg_control_checkpoint` would return the old timeline until the first
# checkpoint after the promotion.
_IDENTIFY = """
SELECT system_identifier::text AS cluster,
       CASE WHEN NOT pg_is_in_recovery()
            THEN ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int END AS timeline
FROM pg_control_system()
"""


class FormerPrimary(ConnectionError):
    """The server must not be used: it belongs to another cluster, or another server was promoted after it."""


class Logged(NamedTuple):
    """The time of a server's last log line, and the number of refused connections since then."""

    instant: float
    refused: int


class Leadership:
    """The newest timeline that this process has seen on the servers in one database URL."""

    def __init__(self, *, has_several_servers: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self.timeline = 0
        self._cluster: str | None = None
        self._has_several_servers = has_several_servers
        self._clock = clock
        self._logged: dict[str, Logged] = {}

    async def check(self, connection: asyncpg.Connection, server: str) -> int:
        """Record the timeline of the server with this name and return it. Return 0 for a replica.

        Raises FormerPrimary if this process has seen a newer timeline, or if the server belongs to another cluster than
        the other servers in the URL.
        """
        cluster, timeline = await connection.fetchrow(_IDENTIFY)
        if cluster != self._cluster and not self._has_several_servers:
            self._cluster, self.timeline = cluster, 0  # an operator has replaced the server at this address
        if self._cluster not in (None, cluster) or (timeline is not None and timeline < self.timeline):
            self._report(server, cluster=cluster, timeline=timeline)
            raise FormerPrimary("the server is a former primary, or belongs to another cluster")
        if timeline is not None:
            self._cluster, self.timeline = cluster, timeline
        return timeline or 0

    def _report(self, server: str, **found: object) -> None:
        """Count the refused connection. Log the first one of a server, and then at most one line a minute."""
        _REFUSED.inc(server)
        now, last = self._clock(), self._logged.get(server)
        count = last.refused + 1 if last else 1
        if last and now - last.instant < LOG_SECONDS:
            self._logged[server] = Logged(last.instant, count)
            return
        self._logged[server] = Logged(now, 0)
        log.error("database.former_primary", server=server, count=count, newest=self.timeline, **found)


@cache
def find_leadership(*servers: Hashable) -> Leadership:
    """Return the state that all connections of this process to these servers share."""
    return Leadership(has_several_servers=len(servers) > 1)
