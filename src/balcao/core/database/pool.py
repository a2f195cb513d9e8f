"""Connections, transactions and look-ups; what PostgreSQL cannot do at the moment is raised as Unavailable."""

import asyncio
import functools
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

import asyncpg
import msgspec

from balcao.core.database import connections, servers
from balcao.core.database.batching import Batch, Lookup
from balcao.core.database.faults import LOST, UNSOUND, StoreFaults
from balcao.core.database.shares import Shares, holder
from balcao.core.errors import Unavailable

T = TypeVar("T")
Item = TypeVar("Item")

APPLICATION_ROLE = "balcao_app"
ACQUIRE_SECONDS = 2.0
LOOKUP_SECONDS = 2.5
# Of connecting, for who listens.
LISTENER_SECONDS = 10.0
# How long a block with a connection may last while a caller waits, waiting for it included: a server that was stopped
# answers nothing, and the caller is told so within three seconds.
SERVING_SECONDS = 2.7
# ... with one to a replica: the primary is asked then.
REPLICA_SECONDS = 1.0

# What a store function is given: it never opens a connection itself.
Connection: TypeAlias = asyncpg.Connection | asyncpg.pool.PoolConnectionProxy
Row: TypeAlias = asyncpg.Record


async def _keep_session(connection: Connection) -> None:
    """Save the pool's round trip that resets a session: our connections carry no session state."""


class Database:
    """Connections of one process, opened under the role that owns nothing.

    A connection that was used stays ready for the next user instead of going back to the pool, whose bookkeeping costs
    more than a read. A caller holds at most half of them at once.
    """

    def __init__(
        self,
        url: str,
        *,
        size: int = 10,
        role: str | None = APPLICATION_ROLE,
        login: str | None = None,
        replica: servers.Server | None = None,
    ) -> None:
        """Open nothing yet. `login`, where given, takes the place of the user in `url`.

        `replica` is the one of its servers that is connected to, only to read.
        """
        self.url = url
        # Whether callers wait for the ends of blocks, which are bounded then; nobody waits for jobs and commands so.
        self.is_serving = False
        self.is_replica = replica is not None
        self.size = size
        self._shares = Shares(max(1, size // 2))
        session = servers.SESSION | ({"role": role} if role else {})
        self.options: dict[str, Any] = {"user": login, "server_settings": session}  # of every connection
        if replica is not None:
            session["default_transaction_read_only"] = "on"
            self.options |= {"host": replica.host, "port": replica.port}
        self._pool: asyncpg.Pool | None = None
        self._ready: list[Connection] = []
        self._taken = 0  # of the pool's connections: those in use and those that are ready
        self._current: set[Connection] = set()  # of those: opened since all were last replaced
        self._waiting: deque[asyncio.Future[Connection | None]] = deque()
        self._is_closing = False
        self._lookups: dict[Lookup, Batch[Any, Row | None]] = {}
        self._writes: dict[GroupedWrite[Any, Any], Batch[Any, Any]] = {}

    def apart(self, size: int) -> "Database":
        """Return other connections to the same database by the same login, so that work takes none from requests."""
        other = Database(self.url, size=size)
        other.options = self.options
        return other

    async def open(self, seconds: float = 60.0) -> None:
        """Connect to the server. Raises Unavailable when it cannot be reached within this time."""
        self._is_closing = False
        with StoreFaults():
            self._pool = await asyncpg.create_pool(
                self.url,
                connect=servers.connect,
                min_size=1,
                max_size=self.size,
                reset=_keep_session,
                timeout=seconds,
                command_timeout=30,
                **self.options,
            )

    @property
    def block_seconds(self) -> float | None:
        """Return how long a block with a connection may last; None where nothing bounds it."""
        return REPLICA_SECONDS if self.is_replica else SERVING_SECONDS if self.is_serving else None

    @property
    def in_use(self) -> int:
        """Return how many of its connections work for somebody now."""
        return self._taken - len(self._ready)

    @property
    def waiting(self) -> int:
        """Return how many wait for a connection now."""
        return sum(not turn.done() for turn in self._waiting)

    async def close(self) -> None:
        """Wait for what is under way and close every connection."""
        if self._pool is None:
            return
        for batch in [*self._lookups.values(), *self._writes.values()]:
            await batch.close()
        self._is_closing = True  # from here on what is given back goes to the pool, which waits for all of it
        await self._empty_ready(self._pool)
        await self._pool.close()
        self._pool = None

    def connection(self) -> "_Borrowed":
        """Return a context manager with a connection, for one statement that is its own transaction.

        Entering it waits at most two seconds for a free connection, and raises Unavailable.
        """
        return _Borrowed(self)

    @asynccontextmanager
    async def transaction(self, *, isolation: str | None = None) -> AsyncIterator[Connection]:
        """Run the block in a transaction: what it writes commits together when the block ends, or not at all."""
        async with self.connection() as connection, connection.transaction(isolation=isolation):
            yield connection

    @asynccontextmanager
    async def rehearsal(
        self, *, isolation: str | None = None, seconds: float | None = None
    ) -> AsyncIterator[Connection]:
        """Run the block, of so many seconds if they are given, in a transaction that is rolled back at its end."""
        async with _Borrowed(self, seconds) as connection:
            transaction = connection.transaction(isolation=isolation)
            await transaction.start()
            try:
                yield connection
            finally:
                await transaction.rollback()

    async def fetch_by_key(self, lookup: Lookup, key: Any) -> Row | None:
        """Return the row of this key. Concurrent calls share a statement; a lost connection is tried again once.

        Raises Unavailable after three seconds at most.
        """
        batch = self._lookups.get(lookup)
        if batch is None:
            batch = self._lookups[lookup] = Batch(functools.partial(self._fetch_many, lookup))
        return await batch.run_alone(functools.partial(self._fetch_one, lookup), key)

    async def write_grouped(self, write: "GroupedWrite[Item, T]", row: Item) -> T:
        """Write the row and return after the commit, which concurrent rows share. A row that is refused fails alone.

        What one result depends on must be in its row: `write` is one statement for rows of callers of any rights.
        """
        batch = self._writes.get(write)
        if batch is None:
            batch = self._writes[write] = Batch(functools.partial(self._write_many, write))
        written: T = await batch.submit(row)
        return written

    async def listener(self, answer_seconds: float) -> asyncpg.Connection:
        """Open a connection outside the pool, for LISTEN; the caller closes it.

        Raises Unavailable when nobody answers within ten seconds. Each of its statements, LISTEN included, has
        `answer_seconds`, or raises TimeoutError.
        """
        with StoreFaults():
            return await servers.connect(
                self.url, timeout=LISTENER_SECONDS, command_timeout=answer_seconds, **self.options
            )

    async def take(self, name: str, deadline: float) -> Connection:
        """Take a connection in the holder's name; `deadline` is an instant of the loop's clock.

        Raises TimeoutError at the deadline, or after two seconds; TooMany when the holder has too many at once.
        """
        if self._pool is None:
            raise Unavailable()
        now = asyncio.get_running_loop().time()
        deadline = min(deadline, now + ACQUIRE_SECONDS)
        if not self._shares.take_now(name):
            await self._shares.take(name, deadline - now)
        try:
            return await self._take_any(self._pool, deadline)
        except BaseException:
            self._shares.give_back(name)
            raise

    async def _take_any(self, pool: asyncpg.Pool, deadline: float) -> Connection:
        """Take the connection used last, else one of the pool's, which opens one when it has none.

        When all are in use, wait for the next that is given back.
        """
        while self._ready:
            connection = self._ready.pop()
            if connections.is_open(connection):
                return connection
            await self._release(pool, connection)
        if self._taken < self.size:
            self._taken += 1
        elif (handed := await self._wait(deadline)) is not None:
            return handed
        current = self._current  # should all be replaced while it is opened, it is not one of the new ones
        try:
            connection = await pool.acquire(timeout=max(deadline - asyncio.get_running_loop().time(), 0.01))
        except BaseException:
            self._pass_place_on()
            raise
        current.add(connection)
        return connection

    async def give_back(self, connection: Connection, name: str, *, sound: bool) -> None:
        """Give the holder's connection to the next user.

        The pool gets it back when its last statement may not have ended.
        """
        try:
            await self._hand_on(connection, sound=sound)
        finally:
            self._shares.give_back(name)

    async def _hand_on(self, connection: Connection, *, sound: bool) -> None:
        assert self._pool is not None  # `close` waits for what was taken
        if not sound or self._is_closing or connection not in self._current or not connections.is_open(connection):
            await self._release(self._pool, connection)
        elif not self._wake(connection):
            self._ready.append(connection)

    async def expire(self) -> None:
        """Replace every connection: those in use when they are given back."""
        assert self._pool is not None
        self._current = set()
        await self._pool.expire_connections()
        await self._empty_ready(self._pool)

    async def _wait(self, deadline: float) -> Connection | None:
        """Wait in line for a connection; None means that the place of an unsound one is ours, which the pool fills."""
        loop = asyncio.get_running_loop()
        turn: asyncio.Future[Connection | None] = loop.create_future()
        self._waiting.append(turn)
        late = loop.call_at(deadline, _fail, turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled() and turn.exception() is None:
                # Handed over at the moment at which the caller gave up.
                if (handed := turn.result()) is not None:
                    await self._hand_on(handed, sound=True)
                else:
                    self._pass_place_on()
            raise
        finally:
            late.cancel()

    def _wake(self, connection: Connection | None = None) -> bool:
        """Hand the connection, or the place of one, to whoever waits longest; return whether anybody waited."""
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(connection)
                return True
        return False

    async def _release(self, pool: asyncpg.Pool, connection: Connection) -> None:
        self._current.discard(connection)
        try:
            await pool.release(connection)
        finally:
            self._pass_place_on()

    def _pass_place_on(self) -> None:
        """Give the place of a connection that is gone to whoever waits, in whose hands it stays taken.

        If it were free meanwhile, another could take it, and the pool, which has no more connections than places, would
        keep one of the two waiting while the connections of the others go from hand to hand.
        """
        if not self._wake():
            self._taken -= 1

    async def _empty_ready(self, pool: asyncpg.Pool) -> None:
        while self._ready:
            await self._release(pool, self._ready.pop())

    async def _fetch_one(self, lookup: Lookup, key: Any) -> Row | None:
        return await self._read(lambda connection, timeout: connection.fetchrow(lookup.of_one, key, timeout=timeout))

    async def _fetch_many(self, lookup: Lookup, keys: Sequence[Any]) -> list[Row | None]:
        holder.set("")
        rows = await self._read(lambda connection, timeout: connection.fetch(lookup.of_many, keys, timeout=timeout))
        found = {row["key"]: row for row in rows}
        return [found.get(key) for key in keys]

    async def _read(self, fetch: Callable[[Connection, float], Awaitable[T]]) -> T:
        """Read, and read again when the connection is lost (a restart, a failover): a read changes nothing."""
        deadline = asyncio.get_running_loop().time() + LOOKUP_SECONDS
        with StoreFaults():
            try:
                return await self._fetch_within(fetch, deadline)
            except LOST as fault:
                # A time-out is an OSError, an argument that the driver refuses an InterfaceError.
                if isinstance(fault, (TimeoutError, ValueError)) or self._pool is None:
                    raise
            # What closed one connection has usually closed all, and some do not know it yet.
            await self.expire()
            return await self._fetch_within(fetch, deadline)

    async def _fetch_within(self, fetch: Callable[[Connection, float], Awaitable[T]], deadline: float) -> T:
        name = holder.get()
        connection = await self.take(name, deadline)
        sound = False
        try:
            row = await fetch(connection, max(deadline - asyncio.get_running_loop().time(), 0.1))
            sound = True
            return row
        except (asyncpg.PostgresError, ValueError) as fault:
            # Refused by the server or by the driver; a connection that the server is closing may still look open.
            sound = isinstance(fault, ValueError) or not isinstance(fault, LOST)
            raise
        except TimeoutError:
            connections.terminate(connection)  # as in `_Borrowed`
            raise
        finally:
            await self.give_back(connection, name, sound=sound)

    async def _write_many(self, write: "GroupedWrite[Item, T]", rows: Sequence[Item]) -> Sequence[T]:
        holder.set("")
        async with self.connection() as connection:
            return await write(connection, rows)


# Writes rows by one statement and returns a result for each. The statement takes them in an order of its own, so that
# two such statements never wait for each other in a circle.
GroupedWrite: TypeAlias = Callable[[Connection, Sequence[Item]], Awaitable[Sequence[T]]]


class _Borrowed:
    """A connection for the duration of a block; faults of the store become Unavailable."""

    __slots__ = ("_connection", "_database", "_late", "_name", "_seconds")

    def __init__(self, database: Database, seconds: float | None = None) -> None:
        self._database = database
        self._seconds = seconds or database.block_seconds

    async def __aenter__(self) -> Connection:
        database, loop = self._database, asyncio.get_running_loop()
        ends = loop.time() + (self._seconds or ACQUIRE_SECONDS)
        self._name = holder.get()
        with StoreFaults():
            self._connection = connection = await database.take(self._name, ends)
        # The statement under way then fails at once, as one whose server went away.
        self._late = None if self._seconds is None else loop.call_at(ends, connections.terminate, connection)
        return connection

    async def __aexit__(self, kind: Any, fault: BaseException | None, trace: Any) -> None:
        connection = self._connection
        if self._late is not None:
            self._late.cancel()
        # A block that ends by a fault may have left a statement under way, or a transaction open.
        is_open = connections.is_open(connection)
        sound = fault is None or (
            is_open and not isinstance(fault, (*UNSOUND, *LOST)) and not connection.is_in_transaction()
        )
        if is_open and isinstance(fault, TimeoutError):
            connection.terminate()  # or giving it back would wait for a server that does not respond
        elif (
            is_open and fault is not None and not self._database.is_replica and not connections.takes_writes(connection)
        ):
            connection.terminate()
            sound = False
            await self._database.expire()
        await self._database.give_back(connection, self._name, sound=sound)
        StoreFaults().__exit__(kind, fault, trace)


def _fail(turn: "asyncio.Future[Connection | None]") -> None:
    if not turn.done():
        turn.set_exception(TimeoutError())


def json_text(value: Any) -> str:
    """Return the JSON text that a jsonb parameter takes."""
    return msgspec.json.encode(value).decode()
