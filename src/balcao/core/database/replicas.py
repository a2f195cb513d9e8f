"""Read replicas, each used only while its measured lag is small enough.

A replica cannot measure its own lag. If it has lost its primary, it believes that it is current. If the primary is
idle, the last transaction is old although nothing is missing. So this process records the primary's WAL position every
second, with the time on its own clock. A replica that has replayed a recorded position has everything that was
committed before that time.
"""

import asyncio
import contextlib
import math
import time
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from balcao.core.database.pool import Connection, Database
from balcao.core.errors import BalcaoError
from balcao.core.logs import log
from balcao.core.telemetry import telemetry

MEASURE_SECONDS = 1.0
CLOSE_SECONDS = 2.0
OPEN_SECONDS = 2.0
# Reasons why a replica is not used: it belongs to another cluster, is now a primary, or lags too far. With any other
# code, the replica could not be read.
FOREIGN, PROMOTED, BEHIND = "replica-foreign", "replica-promoted", "replica-behind"

_READS = telemetry.counter("balcao_replica_reads", "Reads that may lag, by what became of them", "outcome")

# The statement reads the flush position. Every committed transaction is before this position, and the primary sends
# replicas only flushed WAL.
_PRIMARY = """
SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint, system_identifier
FROM pg_control_system()
"""
_REPLICA = """
SELECT pg_is_in_recovery(), system_identifier, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint
FROM pg_control_system()
"""


class Marks:
    """The recorded WAL positions of the primary with their times, as far back as a replica may lag."""

    def __init__(self, most_seconds: float) -> None:
        self._most = most_seconds
        self._marks: deque[tuple[float, int]] = deque()

    def add(self, instant: float, position: int) -> None:
        """Record a position that was requested at `instant`. Calls must be in chronological order."""
        if self._marks and position < self._marks[-1][1]:
            self._marks.clear()  # a failover: old positions do not apply to the new primary
        while self._marks and instant - self._marks[0][0] > self._most:
            self._marks.popleft()
        self._marks.append((instant, position))

    def find(self, position: int) -> float:
        """Return the latest recorded time whose position is at most `position`, or minus infinity."""
        return next((instant for instant, noted in reversed(self._marks) if noted <= position), -math.inf)


class ReplicaState(msgspec.Struct):
    """A server's state: whether it follows a primary, its cluster, and the WAL position up to which it has replayed."""

    follows: bool
    cluster: int
    position: int | None


async def read_replica_state(connection: Connection) -> ReplicaState:
    """Read the replication state of the server."""
    return ReplicaState(*await connection.fetchrow(_REPLICA))


class Replica:
    """One replica.

    It has everything that was committed before `proven_at`. If that is minus infinity, it is unusable.
    """

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name
        self.proven_at = -math.inf
        self.fault: str | None = None  # the reason why `proven_at` is minus infinity
        self._opened = False

    def suspend(self) -> None:
        """Stop using this replica until the next measurement."""
        self.proven_at = -math.inf

    async def measure(self, marks: Marks, cluster: int) -> None:
        """Measure how far this replica lags behind the primary. A failure is recorded in `fault`, not raised."""
        try:
            if not self._opened:
                await self.database.open(OPEN_SECONDS)
                self._opened = True
            async with self.database.connection() as connection:
                found = await read_replica_state(connection)
        except Exception as failure:
            self._note(-math.inf, getattr(failure, "code", type(failure).__name__))
            return
        if found.cluster != cluster:
            self._note(-math.inf, FOREIGN)
        elif not found.follows or found.position is None:
            self._note(-math.inf, PROMOTED)
        else:
            self._note(marks.find(found.position), BEHIND)

    def _note(self, instant: float, code: str) -> None:
        fault = code if instant == -math.inf else None
        if fault is not None and fault != self.fault:
            log.warning("replica.left", server=self.name, code=fault)
        self.proven_at, self.fault = instant, fault

    async def close(self) -> None:
        """Close the replica's connections. Give up after CLOSE_SECONDS if the server does not respond."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.database.close()


class Replicas:
    """The replicas of the primary. Reads use the freshest replica, as long as it lags at most `most_seconds`."""

    def __init__(
        self,
        primary: Database,
        replicas: Sequence[Replica],
        most_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._primary = primary
        self._replicas = replicas
        self._most = most_seconds
        self._clock = clock
        self._marks = Marks(most_seconds)
        self._keeper: asyncio.Task[None] | None = None
        self._states = contextlib.ExitStack()

    def __bool__(self) -> bool:
        return bool(self._replicas)

    def list_lags(self) -> list[tuple[Replica, float]]:
        """Return each replica with the longest time in seconds that it may lag.

        The time is infinity if it is unknown.
        """
        return [(replica, self._clock() - replica.proven_at) for replica in self._replicas]

    def choose(self) -> Replica | None:
        """Return the freshest usable replica, or None if the caller must read from the primary."""
        if not self._replicas:
            return None
        freshest = max(self._replicas, key=lambda replica: replica.proven_at)
        if self._clock() - freshest.proven_at <= self._most:
            return freshest
        _READS.inc("behind")
        return None

    @property
    def lag(self) -> float:
        """Return how many seconds the freshest replica may lag at most, or infinity if no replica is usable."""
        return self._clock() - max((replica.proven_at for replica in self._replicas), default=-math.inf)

    async def start(self) -> None:
        """Start measuring in the background. A replica that is down does not delay the start."""
        if self._replicas:
            self._states.enter_context(telemetry.state("balcao_replica_lag_seconds", lambda: self.lag))
            self._keeper = asyncio.create_task(self._follow())

    async def stop(self) -> None:
        """Stop measuring and close every connection to the replicas."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._states.close()
            await asyncio.gather(*(replica.close() for replica in self._replicas))

    async def _follow(self) -> None:
        while True:
            with contextlib.suppress(BalcaoError):  # while the primary is down, its recorded positions expire
                await self.measure()
            await asyncio.sleep(MEASURE_SECONDS)

    async def measure(self) -> None:
        """Record the primary's WAL position, then measure each replica. Raises Unavailable if the primary is down."""
        instant = self._clock()  # read first, so that the position covers all earlier commits
        async with self._primary.connection() as connection:
            position, cluster = await connection.fetchrow(_PRIMARY)
        self._marks.add(instant, position)
        await asyncio.gather(*(replica.measure(self._marks, cluster) for replica in self._replicas))


def count_read(outcome: str) -> None:
    """Count the outcome of a read on a replica: `replica` (answered), `failed`, or `unknown` (no row on it yet)."""
    _READS.inc(outcome)
