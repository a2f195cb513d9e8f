"""Blocks with a connection, transactions and look-ups; what PostgreSQL cannot do now is raised as Unavailable."""

import asyncio
import functools
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeAlias, TypeVar

import asyncpg
import msgspec

from balcao.core.database import servers
from balcao.core.database.batching import Batch
from balcao.core.database.connection_quota import holder
from balcao.core.database.connections import Connections
from balcao.core.database.faults import LOST, UNSOUND, StoreFaults
from balcao.core.database.listening import Listening

T = TypeVar("T")
Item = TypeVar("Item")

APPLICATION_ROLE = "balcao_app"
LOOKUP_SECONDS = 2.5
# How long `listener` may take to connect.
LISTENER_SECONDS = 10.0
# How long a block with a connection may last while a caller waits, waiting for it included: a server that was stopped
# answers nothing, and the caller is told so within three seconds.
SERVING_SECONDS = 2.7
# The same for a connection to a replica: after it the primary is asked.
REPLICA_SECONDS = 1.0

# What a store function is given: it never opens a connection itself.
Connection: TypeAlias = asyncpg.Connection
Row: TypeAlias = asyncpg.Record


class Database(Connections):
    """Connections of one process, opened under the role that owns nothing, with what is done on them."""

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
        session = servers.SESSION | ({"role": role} if role else {})
        options: dict[str, Any] = {"user": login, "server_settings": session}
        if replica is not None:
            session["default_transaction_read_only"] = "on"
            options |= {"host": replica.host, "port": replica.port}
        super().__init__(url, size, options)
        self.listening = Listening(self.listener)
        # Set where callers wait: a block is then bounded. Jobs and commands may take longer.
        self.is_serving = False
        self.is_replica = replica is not None
        self._reads: dict[GroupedRead[Any, Any], Batch[Any, Any]] = {}
        self._writes: dict[GroupedWrite[Any, Any], Batch[Any, Any]] = {}

    def apart(self, size: int) -> "Database":
        """Return other connections to the same database by the same login, so that work takes none from requests."""
        other = Database(self.url, size=size)
        other.options = self.options
        return other

    @property
    def block_seconds(self) -> float | None:
        """Return how long a block with a connection may last; None where nothing bounds it."""
        return REPLICA_SECONDS if self.is_replica else SERVING_SECONDS if self.is_serving else None

    async def close(self) -> None:
        """Wait for what is under way and close every connection."""
        for batch in [*self._reads.values(), *self._writes.values()]:
            await batch.close()
        await super().close()

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

    def read_grouped(self, read: "GroupedRead[Item, T]", item: Item) -> asyncio.Future[T]:
        """Return a future of what is read for the item.

        Concurrent calls share a statement; a lost connection is tried again once. Callers with different rights share
        it, so the right to an item is checked before it is asked for. Raises Unavailable after three seconds at most.
        """
        batch = self._reads.get(read)
        if batch is None:
            batch = self._reads[read] = Batch(functools.partial(self._read_many, read))
        return batch.submit(item)

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
            return await servers.connect_to_server(
                self.url, timeout=LISTENER_SECONDS, command_timeout=answer_seconds, **self.options
            )

    async def _read_many(self, read: "GroupedRead[Item, T]", items: Sequence[Item]) -> Sequence[T]:
        """Read, and read again when the connection is lost (a restart, a failover): a read changes nothing."""
        deadline = asyncio.get_running_loop().time() + min(LOOKUP_SECONDS, self.block_seconds or LOOKUP_SECONDS)
        with StoreFaults():
            try:
                return await self._read_within(read, items, deadline)
            except LOST as fault:
                # A time-out is an OSError, an argument that the driver refuses an InterfaceError.
                if isinstance(fault, (TimeoutError, ValueError)) or not self._is_open:
                    raise
            # What closed one connection has usually closed all of them, even those that still look open.
            self.expire()
            return await self._read_within(read, items, deadline)

    async def _read_within(self, read: "GroupedRead[Item, T]", items: Sequence[Item], deadline: float) -> Sequence[T]:
        connection = self.take_now("") or await self.take("", deadline)
        sound = False
        try:
            found = await read(connection, items, max(deadline - asyncio.get_running_loop().time(), 0.1))
            sound = True
            return found
        except (asyncpg.PostgresError, ValueError) as fault:
            # Refused by the server or by the driver; a connection that the server is closing may still look open.
            sound = isinstance(fault, ValueError) or not isinstance(fault, LOST)
            raise
        except TimeoutError:
            connection.terminate()  # closing it would wait for a server that does not respond
            raise
        finally:
            if not (sound and self.give_back_now(connection, "")):
                await self.give_back(connection, "", sound=sound)

    async def _write_many(self, write: "GroupedWrite[Item, T]", rows: Sequence[Item]) -> Sequence[T]:
        holder.set("")
        async with self.connection() as connection:
            return await write(connection, rows)


# Reads by one statement what was asked for each item, within so many seconds.
GroupedRead: TypeAlias = Callable[[Connection, Sequence[Item], float], Awaitable[Sequence[T]]]
# Writes rows by one statement and returns a result for each. The statement takes them in an order of its own, so that
# two such statements never wait for each other in a circle.
GroupedWrite: TypeAlias = Callable[[Connection, Sequence[Item]], Awaitable[Sequence[T]]]


Source: TypeAlias = Connection | Database
"""What is read from: a connection, or all of a database's for a read that needs no transaction."""


class _Borrowed:
    """A connection for the duration of a block; faults of the store become Unavailable."""

    __slots__ = ("_connection", "_database", "_late", "_name", "_seconds")

    def __init__(self, database: Database, seconds: float | None = None) -> None:
        self._database = database
        self._seconds = seconds or database.block_seconds

    async def __aenter__(self) -> Connection:
        database, loop = self._database, asyncio.get_running_loop()
        ends = loop.time() + (self._seconds or math.inf)
        self._name = holder.get()
        with StoreFaults():
            self._connection = connection = await database.take(self._name, ends)
        # The statement under way then fails at once, as one whose server went away.
        self._late = None if self._seconds is None else loop.call_at(ends, connection.terminate)
        return connection

    async def __aexit__(self, kind: Any, fault: BaseException | None, trace: Any) -> None:
        connection = self._connection
        if self._late is not None:
            self._late.cancel()
        # A block that ends by a fault may have left a statement under way, or a transaction open.
        is_open = not connection.is_closed()
        sound = fault is None or (
            is_open and not isinstance(fault, (*UNSOUND, *LOST)) and not connection.is_in_transaction()
        )
        if is_open and isinstance(fault, TimeoutError):
            connection.terminate()  # closing it would wait for a server that does not respond
        elif is_open and fault is not None and not self._database.is_replica and not _takes_writes(connection):
            connection.terminate()
            sound = False
            self._database.expire()
        await self._database.give_back(connection, self._name, sound=sound)
        StoreFaults().__exit__(kind, fault, trace)


def _takes_writes(connection: Connection) -> bool:
    """Return whether the server takes writes; it tells each session when it becomes a replica or read-only."""
    settings = connection.get_settings()
    return all(getattr(settings, name, "off") != "on" for name in ("in_hot_standby", "default_transaction_read_only"))


def json_text(value: Any) -> str:
    """Return the JSON text that a jsonb parameter takes."""
    return msgspec.json.encode(value).decode()
