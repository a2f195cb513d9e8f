"""What the faults of PostgreSQL and of its driver mean: refused, locked, lost; or away, which becomes Unavailable."""

import asyncio
from contextlib import AbstractContextManager
from typing import Any

import asyncpg

from balcao.core.errors import Unavailable

# The server refused a statement.
StatementRefused = asyncpg.PostgresError
# ... because of the rows in it: other rows may pass.
RowsRefused = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
# ... whatever the rows: the next try will not pass either.
StatementImpossible = (
    *RowsRefused,
    asyncpg.PLPGSQLError,
    asyncpg.ProgramLimitExceededError,
    asyncpg.SyntaxOrAccessError,
)
# The server takes no writes: it is a replica, it is starting, or it is shutting down.
ServerUnsuitable = (asyncpg.TargetServerAttributeNotMatched, asyncpg.CannotConnectNowError)
# Another transaction holds what the statement needs.
Locked = (asyncpg.LockNotAvailableError, asyncpg.DeadlockDetectedError)
# Another transaction changed what this one, which sees one state throughout, wanted to change.
Overtaken = asyncpg.SerializationError

_AWAY = (
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

# After these a statement may still be under way.
UNSOUND = (asyncio.CancelledError, GeneratorExit, TimeoutError)
# The connection is gone, and whether its last statement was carried out is not known.
LOST = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # raised when a connection is closed under a statement
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
)


class StoreFaults(AbstractContextManager[Any]):
    """Turns "the store is away" into Unavailable; leaves every other fault as it is."""

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: Any) -> None:
        # The driver's own refusal of an argument is a fault of ours, not of the store.
        if isinstance(fault, _AWAY) and not isinstance(fault, ValueError):
            raise Unavailable(code="store-away", retry_after=1) from fault
