"""Reject a former primary: a server that still accepts writes after another server was promoted.

A promotion starts a new timeline, whose number is higher than every earlier one. So the server with the highest
timeline is the primary. A server with a lower timeline must not be used, even if it accepts connections again.
"""

from collections.abc import Hashable
from functools import cache

import asyncpg

from balcao.core.logs import log

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


class Leadership:
    """The newest timeline that this process has seen on the servers in one database URL."""

    def __init__(self, *, has_several_servers: bool) -> None:
        self.timeline = 0
        self._cluster: str | None = None
        self._has_several_servers = has_several_servers

    async def check(self, connection: asyncpg.Connection) -> int:
        """Record the server's timeline and return it. Return 0 for a replica.

        Raises FormerPrimary if this process has seen a newer timeline, or if the server belongs to another cluster than
        the other servers in the URL.
        """
        cluster, timeline = await connection.fetchrow(_IDENTIFY)
        if cluster != self._cluster and not self._has_several_servers:
            self._cluster, self.timeline = cluster, 0  # an operator has replaced the server at this address
        if self._cluster not in (None, cluster) or (timeline is not None and timeline < self.timeline):
            log.error("database.former_primary", cluster=cluster, timeline=timeline, newest=self.timeline)
            raise FormerPrimary("the server is a former primary, or belongs to another cluster")
        if timeline is not None:
            self._cluster, self.timeline = cluster, timeline
        return timeline or 0


@cache
def find_leadership(*servers: Hashable) -> Leadership:
    """Return the state that all connections of this process to these servers share."""
    return Leadership(has_several_servers=len(servers) > 1)
