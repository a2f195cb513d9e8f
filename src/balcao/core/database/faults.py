"""Exceptions of PostgreSQL and its driver, grouped by meaning: rejected, locked, connection lost, database down."""

import asyncio
import traceback
from contextlib import AbstractContextManager
from typing import Any

import asyncpg

from balcao.core.errors import Unavailable

# The server rejected a statement.
StatementRefused = asyncpg.PostgresError
# The server rejected the values in a statement. With other values, the same statement may succeed. A text that is too
# long for the key of an index exceeds a limit of the server.
RowsRefused = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError, asyncpg.ProgramLimitExceededError)
# A retry of the same statement with the same values cannot succeed.
StatementImpossible = (
    *RowsRefused,
    asyncpg.PLPGSQLError,
    asyncpg.SyntaxOrAccessError,
)
# The server does not accept writes: it is a replica, it is starting, or it is shutting down.
ServerUnsuitable = (asyncpg.TargetServerAttributeNotMatched, asyncpg.CannotConnectNowError)
# Another transaction holds a lock that the statement needs.
Locked = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)
# This transaction uses one snapshot for all its statements, and another transaction changed a row that it tried to
# write.
Overtaken = asyncpg.SerializationError

# PostgreSQL cannot execute any statement of the caller now, or it resolved a conflict by a rollback. A missing login or
# database is included, because an operator may still create it.
_DOWN = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,
    asyncpg.TooManyConnectionsError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TransactionRollbackError,
)

# After these exceptions, the server may still be executing the statement.
MAYBE_RUNNING = (asyncio.CancelledError, GeneratorExit, TimeoutError)
# The connection is lost. The server may or may not have executed its last statement.
LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # raised if the connection closes during a statement
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)


class StoreFaults(AbstractContextManager[Any]):
    """A context manager that raises Unavailable if the database is down. Other exceptions pass unchanged."""

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: Any) -> None:
        # The driver rejects a bad argument with an InterfaceError that is also a ValueError. Do not convert such an
        # error: it is a bug of ours.
        if (isinstance(fault, _DOWN) and not isinstance(fault, ValueError)) or _was_closed_meanwhile(fault):
            raise Unavailable(code="store-away", retry_after=1) from fault


def _was_closed_meanwhile(fault: BaseException | None) -> bool:
    """Return whether the connection was closed between two steps of a statement, for example at a block's deadline.

    The driver then looks up a method of None.
    """
    if not isinstance(fault, AttributeError) or fault.obj is not None:
        return False
    *_, (frame, _) = traceback.walk_tb(fault.__traceback__)
    return str(frame.f_globals["__name__"]).startswith("asyncpg.")
