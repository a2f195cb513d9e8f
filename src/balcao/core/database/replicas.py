"""Servers that follow the primary and answer reads that may lag: each is trusted for what it is known to have.

How far a replica is cannot be asked of it alone: one that has lost its primary believes to be current, and of an idle
primary the last transaction is old. So the primary's position in its log is noted every second with the instant, by
this process's own clock; a replica that has replayed a noted position has everything that was committed by then.
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
# The codes of why a server is not read from; any other code means that it is away.
FOREIGN, PROMOTED, BEHIND = "replica-foreign", "replica-promoted", "replica-behind"

_READS = telemetry.counter("balcao_replica_reads", "Reads that may lag, by what became of them", "outcome")

# The position up to which the log is flushed: all that is committed lies before it, and only what is flushed is sent.
_PRIMARY = """
SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint, system_identifier
FROM pg_control_system()
"""
_REPLICA = """
SELECT pg_is_in_recovery(), system_identifier, pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint
FROM pg_control_system()
"""


class Marks:
    """Where the primary was at which instant, for as long as a replica may lag."""

    def __init__(self, most_seconds: float) -> None:
        self._most = most_seconds
        self._marks: deque[tuple[float, int]] = deque()

    def add(self, instant: float, position: int) -> None:
        """Note the position that was asked for at this instant, later than all others."""
        if self._marks and position < self._marks[-1][1]:
            self._marks.clear()  # another server has taken over, whose log the old marks do not measure
        while self._marks and instant - self._marks[0][0] > self._most:
            self._marks.popleft()
        self._marks.append((instant, position))

    def find(self, position: int) -> float:
        """Return the last instant by which all that was committed lies before the position; else minus infinity."""
        return next((instant for instant, noted in reversed(self._marks) if noted <= position), -math.inf)


class ReplicaState(msgspec.Struct):
    """How a server of the read address stands: `follows` a primary, of which `cluster`, up to which `position`."""

    follows: bool
    cluster: int
    position: int | None


async def read_replica_state(connection: Connection) -> ReplicaState:
    """Return how the server stands."""
    return ReplicaState(*await connection.fetchrow(_REPLICA))


class Replica:
    """`proven_at` is an instant by which everything that was committed is here; minus infinity while none is known."""

    def __init__(self, database: Database, name: str) -> None:
        self.database = database
        self.name = name
        self.proven_at = -math.inf
        self.fault: str | None = None  # why `proven_at` is not known, as a code
        self._opened = False

    def distrust(self) -> None:
        """Read nothing from it until it has been measured again."""
        self.proven_at = -math.inf

    async def measure(self, marks: Marks, cluster: int) -> None:
        """Find out what it has of what the marks of this cluster's primary say; a dead server raises nothing."""
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
        """Close its connections; a server that does not answer is not waited for."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(CLOSE_SECONDS):
                await self.database.close()


class Replicas:
    """The replicas of the primary, of which the freshest is read from while it lags at most `most_seconds`."""

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
        """Return each replica with the seconds by which it may lag; infinity while nothing is proven of it."""
        return [(replica, self._clock() - replica.proven_at) for replica in self._replicas]

    def choose(self) -> Replica | None:
        """Return the replica that has most; None where the primary is to be read."""
        if not self._replicas:
            return None
        freshest = max(self._replicas, key=lambda replica: replica.proven_at)
        if self._clock() - freshest.proven_at <= self._most:
            return freshest
        _READS.inc("behind")
        return None

    @property
    def lag(self) -> float:
        """Return by how many seconds the freshest replica may lag; infinity while none can be read from."""
        return self._clock() - max((replica.proven_at for replica in self._replicas), default=-math.inf)

    async def start(self) -> None:
        """Keep measuring; a replica that is away keeps nobody from starting."""
        if self._replicas:
            self._states.enter_context(telemetry.state("balcao_replica_lag_seconds", lambda: self.lag))
            self._keeper = asyncio.create_task(self._keep())

    async def stop(self) -> None:
        """Stop measuring and close every connection to the replicas."""
        if self._keeper is not None:
            self._keeper.cancel()
            await asyncio.gather(self._keeper, return_exceptions=True)
            self._states.close()
            await asyncio.gather(*(replica.close() for replica in self._replicas))

    async def _keep(self) -> None:
        while True:
            with contextlib.suppress(BalcaoError):  # a primary that is away: the marks that there are grow old
                await self.measure()
            await asyncio.sleep(MEASURE_SECONDS)

    async def measure(self) -> None:
        """Note where the primary is, then how far each replica is. Raises Unavailable for a primary that is away."""
        instant = self._clock()  # before the question: what was committed by now lies before the answer
        async with self._primary.connection() as connection:
            position, cluster = await connection.fetchrow(_PRIMARY)
        self._marks.add(instant, position)
        await asyncio.gather(*(replica.measure(self._marks, cluster) for replica in self._replicas))


def count_read(outcome: str) -> None:
    """Count what became of a read for which a replica was chosen: `replica`, `failed` or `unknown` there."""
    _READS.inc(outcome)
