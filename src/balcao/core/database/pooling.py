"""Reject a PgBouncer, or another pooler, that gives each transaction a different session of PostgreSQL.

The sessions of the platform have state: their role and parameters, prepared statements, locks and LISTEN. Also, a new
server connection of the pooler is not checked for a former primary (`leadership`).
"""

from collections.abc import Awaitable, Callable

import asyncpg

# How often to compare the sessions. A pooler without other clients gives both connections the same session immediately;
# with other clients, the session of a connection soon changes.
ROUNDS = 5

# A statement was prepared in one session and executed in another.
_STATEMENT_MISPLACED = (asyncpg.DuplicatePreparedStatementError, asyncpg.InvalidSQLStatementNameError)


class TransactionPooling(ConnectionError):
    """A pooler reassigns the sessions of PostgreSQL between transactions."""


async def open_lasting_session(open_one: Callable[[], Awaitable[asyncpg.Connection]]) -> asyncpg.Connection:
    """Open a connection. Raises TransactionPooling if its session may change."""
    try:
        connection = await open_one()
        try:
            if not await _has_own_session(connection):
                await _check_pooler(connection, await open_one())
        except BaseException:
            connection.terminate()
            raise
    except _STATEMENT_MISPLACED as fault:
        raise TransactionPooling from fault
    return connection


async def _has_own_session(connection: asyncpg.Connection) -> bool:
    """Return whether the connection leads directly to PostgreSQL. A pooler invents the process id that clients see."""
    return await _find_backend(connection) == int(connection.get_server_pid())


async def _check_pooler(connection: asyncpg.Connection, other: asyncpg.Connection) -> None:
    try:
        first = await _find_backend(connection)
        for _ in range(ROUNDS):
            if await _find_backend(other) == first or await _find_backend(connection) != first:
                raise TransactionPooling
    finally:
        other.terminate()


async def _find_backend(connection: asyncpg.Connection) -> int:
    found: int = await connection.fetchval("SELECT pg_backend_pid()")
    return found
