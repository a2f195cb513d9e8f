"""The database interface for stores: connections, transactions, and reads and writes that several callers share.

Every method raises Unavailable while the database is down.
"""

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
from balcao.core.database.faults import LOST, MAYBE_RUNNING, StoreFaults
from balcao.core.database.listening import Listening

T = TypeVar("T")
Item = TypeVar("Item")

APPLICATION_ROLE = "balcao_app"
# The deadline of a grouped read. It applies in every process, because callers of all kinds may share the read.
LOOKUP_SECONDS = 2.5
# The connect timeout of `listener`.
LISTENER_SECONDS = 10.0
# The deadline of a block with a connection, including the wait for the connection, if an HTTP caller waits. A frozen
# server does not respond at all, but the caller must receive an error within three seconds.
SERVING_SECONDS = 2.7
# The deadline of a block on a replica. It is shorter, because a read that fails there is repeated on the primary.
REPLICA_SECONDS = 1.0

# The connection that a store function receives. Store functions never open a connection themselves.
Connection: TypeAlias = asyncpg.Connection
Row: TypeAlias = asyncpg.Record


class Database(Connections):
    """The connection pool of one process, and the operations on it.

    By default, its sessions switch to a role that owns no tables. With `role=None`, they use the role of the login.
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
        """Store the settings without connecting. `login` overrides the user in `url`.

        With `replica`, connect only to that server and only for reading.
        """
        session = servers.SESSION | ({"role": role} if role else {})
        options: dict[str, Any] = {"user": login, "server_settings": session}
        if replica is not None:
            session["default_transaction_read_only"] = "on"
            options |= {"host": replica.host, "port": replica.port}
        super().__init__(url, size, options)
        self.listening = Listening(self.listener)
        # True in processes that serve HTTP callers: blocks then have a deadline. Jobs and commands may take longer.
        self.is_serving = False
        self.is_replica = replica is not None
        self._reads: dict[GroupedRead[Any, Any], Batch[Any, Any]] = {}
        self._writes: dict[GroupedWrite[Any, Any], Batch[Any, Any]] = {}

    def separate_pool(self, size: int) -> "Database":
        """Return a separate pool with the same login, so that background work leaves the connections for requests."""
        other = Database(self.url, size=size)
        other.options = self.options
        return other

    @property
    def block_seconds(self) -> float | None:
        """The deadline of a block with a connection, in seconds. None means no deadline."""
        return REPLICA_SECONDS if self.is_replica else SERVING_SECONDS if self.is_serving else None

    async def close(self) -> None:
        """Finish the shared reads and writes, then close every connection."""
        for batch in [*self._reads.values(), *self._writes.values()]:
            await batch.close()
        await super().close()

    def connection(self) -> "_Borrowed":
        """Return a context manager with a connection in autocommit mode: each statement is its own transaction.

        Entering it waits up to two seconds for a free connection. Then it raises TooMany if this caller still holds its
        full share of the pool, otherwise Unavailable.
        """
        return _Borrowed(self)

    @asynccontextmanager
    async def transaction(self, *, isolation: str | None = None) -> AsyncIterator[Connection]:
        """Run the block in a transaction. Commit when it ends, or roll back if it raises."""
        async with self.connection() as connection, connection.transaction(isolation=isolation):
            yield connection

    @asynccontextmanager
    async def rehearsal(
        self, *, isolation: str | None = None, seconds: float | None = None
    ) -> AsyncIterator[Connection]:
        """Run the block in a transaction that is always rolled back. `seconds` overrides the block's deadline."""
        async with _Borrowed(self, seconds) as connection:
            transaction = connection.transaction(isolation=isolation)
            await transaction.start()
            try:
                yield connection
            finally:
                await transaction.rollback()

    def read_grouped(self, read: "GroupedRead[Item, T]", item: Item) -> asyncio.Future[T]:
        """Return a future for the result of `read` for the item.

        Concurrent calls share a statement, even if the callers have different rights. So check the right to the item
        before the call. If the connection is lost, the statement is retried once. Raises Unavailable if the statement
        and its retry do not finish within LOOKUP_SECONDS.
        """
        batch = self._reads.get(read)
        if batch is None:
            batch = self._reads[read] = Batch(functools.partial(self._read_many, read), is_eager=True)
        return batch.submit(item)

    async def write_grouped(self, write: "GroupedWrite[Item, T]", row: Item) -> T:
        """Write a row, in one statement with the rows of concurrent calls.

        Return after the commit. A rejected row fails alone. Rows of different callers share one statement. A row must
        therefore contain everything on which its result depends.
        """
        batch = self._writes.get(write)
        if batch is None:
            batch = self._writes[write] = Batch(functools.partial(self._write_many, write))
        written: T = await batch.submit(row)
        return written

    async def listener(self, answer_seconds: float) -> asyncpg.Connection:
        """Open a connection for LISTEN outside the pool. The caller closes it.

        Raises Unavailable if no server answers within ten seconds. A statement on the connection, including LISTEN,
        raises TimeoutError if it takes longer than `answer_seconds`.
        """
        with StoreFaults():
            return await servers.connect_to_server(
                self.url, timeout=LISTENER_SECONDS, command_timeout=answer_seconds, **self.options
            )

    async def _read_many(self, read: "GroupedRead[Item, T]", items: Sequence[Item]) -> Sequence[T]:
        """Read, and retry once if the connection was lost (restart, failover). Reads are safe to repeat."""
        deadline = asyncio.get_running_loop().time() + min(LOOKUP_SECONDS, self.block_seconds or LOOKUP_SECONDS)
        with StoreFaults():
            try:
                return await self._read_within(read, items, deadline)
            except LOST as fault:
                # LOST also matches TimeoutError (an OSError) and rejected arguments (an InterfaceError). Do not retry
                # after these two exceptions or while the pool is closing.
                if isinstance(fault, (TimeoutError, ValueError)) or not self._is_open:
                    raise
            # Whatever closed this connection has usually closed all other connections too, even if they still look
            # open.
            self.expire()
            return await self._read_within(read, items, deadline)

    async def _read_within(self, read: "GroupedRead[Item, T]", items: Sequence[Item], deadline: float) -> Sequence[T]:
        connection = self.acquire_now("") or await self.acquire("", deadline)
        is_usable = False
        try:
            found = await read(connection, items, max(deadline - asyncio.get_running_loop().time(), 0.1))
            is_usable = True
            return found
        except (asyncpg.PostgresError, ValueError) as fault:
            # The connection is reusable after a rejected statement or argument. It is not reusable after a shutdown
            # message: the server is closing the connection, even if it still looks open.
            is_usable = isinstance(fault, ValueError) or not isinstance(fault, LOST)
            raise
        except TimeoutError:
            connection.terminate()  # a graceful close would wait for an unresponsive server
            raise
        finally:
            if not (is_usable and self.release_now(connection, "")):
                await self.release(connection, "", is_usable=is_usable)

    async def _write_many(self, write: "GroupedWrite[Item, T]", rows: Sequence[Item]) -> Sequence[T]:
        # The statement serves several callers, so its connection must not count towards one caller's quota.
        holder.set("")
        async with self.connection() as connection:
            return await write(connection, rows)


# A function that reads all items with one statement, within the given seconds, and returns one result for each.
GroupedRead: TypeAlias = Callable[[Connection, Sequence[Item], float], Awaitable[Sequence[T]]]
# A function that writes all rows with one statement and returns one result for each. The statement must lock its rows
# in a fixed order. Otherwise two concurrent batches could deadlock.
GroupedWrite: TypeAlias = Callable[[Connection, Sequence[Item]], Awaitable[Sequence[T]]]


Source: TypeAlias = Connection | Database
"""A connection, or a database if the statement needs no transaction."""


class _Borrowed:
    """A context manager that borrows a connection from the pool, and raises Unavailable if the database is down."""

    __slots__ = ("_connection", "_database", "_late", "_name", "_seconds")

    def __init__(self, database: Database, seconds: float | None = None) -> None:
        self._database = database
        self._seconds = seconds or database.block_seconds

    async def __aenter__(self) -> Connection:
        database, loop = self._database, asyncio.get_running_loop()
        ends = loop.time() + (self._seconds or math.inf)
        self._name = holder.get()
        with StoreFaults():
            self._connection = connection = await database.acquire(self._name, ends)
        # At the deadline, the running statement fails immediately, as if the connection had been lost.
        self._late = None if self._seconds is None else loop.call_at(ends, connection.terminate)
        return connection

    async def __aexit__(self, kind: Any, fault: BaseException | None, trace: Any) -> None:
        connection = self._connection
        if self._late is not None:
            self._late.cancel()
        # After an exception a statement may still be running, or a transaction may still be open.
        is_open = not connection.is_closed()
        is_usable = fault is None or (
            is_open and not isinstance(fault, (*MAYBE_RUNNING, *LOST)) and not connection.is_in_transaction()
        )
        if is_open and isinstance(fault, TimeoutError):
            connection.terminate()  # a graceful close would wait for an unresponsive server
        elif is_open and not self._database.is_replica and _lost_leadership(connection, fault):
            connection.terminate()
            is_usable = False
            # A failover has turned this server into a replica, and the pool's other connections go to the same server.
            self._database.expire()
        await self._database.release(connection, self._name, is_usable=is_usable)
        StoreFaults().__exit__(kind, fault, trace)


def _lost_leadership(connection: Connection, fault: BaseException | None) -> bool:
    """Return whether a block failed on a server that accepts no writes.

    No query is needed, because PostgreSQL reports the settings to every session. A PgBouncer may report those of an
    earlier server, but not hide the rejection of a write.
    """
    if fault is None or isinstance(fault, asyncpg.ReadOnlySQLTransactionError):
        return fault is not None
    settings = connection.get_settings()
    return any(getattr(settings, name, "") == "on" for name in ("in_hot_standby", "default_transaction_read_only"))


def json_text(value: Any) -> str:
    """Encode a value as the JSON text of a jsonb parameter."""
    return msgspec.json.encode(value).decode()
