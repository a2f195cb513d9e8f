"""The pool, the transaction and how faults of the store are told apart from faults of ours."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, TypeAlias

import asyncpg
import msgspec

from balcao.core.errors import Unavailable

APPLICATION_ROLE = "balcao_app"
ACQUIRE_SECONDS = 2.0

# What a store function is given: it never opens a connection itself.
Connection: TypeAlias = asyncpg.Connection | asyncpg.pool.PoolConnectionProxy
Row: TypeAlias = asyncpg.Record
# The server refused a statement.
StatementRefused = asyncpg.PostgresError
# ... because of the rows in it: other rows may pass.
RowsRefused = (asyncpg.DataError, asyncpg.IntegrityConstraintViolationError)
# Another transaction changed what this one, which sees one state throughout, wanted to change.
Overtaken = asyncpg.SerializationError

_AWAY = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.InterfaceError,
    asyncpg.TooManyConnectionsError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.InvalidCatalogNameError,
    asyncpg.InvalidAuthorizationSpecificationError,
    asyncpg.ReadOnlySQLTransactionError,
    asyncpg.TransactionRollbackError,
)


async def _keep_session(connection: Connection) -> None:
    """Our connections carry no session state, so the pool's reset round trip is saved."""


class Database:
    """Connections of one process, opened under the role that owns nothing."""

    def __init__(self, url: str, *, size: int = 10, role: str | None = APPLICATION_ROLE) -> None:
        self.url = url
        self._size = size
        self.server_settings = {"application_name": "balcao", "timezone": "UTC"} | ({"role": role} if role else {})
        self._pool: asyncpg.Pool | None = None

    async def open(self) -> None:
        """Raises Unavailable when the server cannot be reached."""
        with _StoreFaults():
            self._pool = await asyncpg.create_pool(
                self.url,
                min_size=1,
                max_size=self._size,
                reset=_keep_session,
                server_settings=self.server_settings,
                command_timeout=30,
            )

    async def close(self) -> None:
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """For one statement, which is its own transaction. Waits at most two seconds for a free one."""
        if self._pool is None:
            raise Unavailable()
        with _StoreFaults():
            async with self._pool.acquire(timeout=ACQUIRE_SECONDS) as connection:
                yield connection

    @asynccontextmanager
    async def transaction(self, *, isolation: str | None = None) -> AsyncIterator[Connection]:
        """For a use case: what it writes commits together when the block ends, or not at all."""
        async with self.connection() as connection, connection.transaction(isolation=isolation):
            yield connection

    @asynccontextmanager
    async def rehearsal(self, *, isolation: str | None = None) -> AsyncIterator[Connection]:
        """As `transaction`, and all of it is undone when the block ends."""
        async with self.connection() as connection:
            transaction = connection.transaction(isolation=isolation)
            await transaction.start()
            try:
                yield connection
            finally:
                await transaction.rollback()

    async def listener(self) -> asyncpg.Connection:
        """A connection outside the pool, for LISTEN; the caller closes it."""
        with _StoreFaults():
            return await asyncpg.connect(self.url, server_settings=self.server_settings)


class _StoreFaults:
    """Turns "the store is away" into Unavailable; leaves every other fault as it is."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type[BaseException] | None, fault: BaseException | None, trace: Any) -> None:
        # The driver's own refusal of an argument is a fault of ours, not of the store.
        if isinstance(fault, _AWAY) and not isinstance(fault, ValueError):
            raise Unavailable(code="store-away", retry_after=1) from fault


def json_text(value: Any) -> str:
    """What a jsonb parameter takes."""
    return msgspec.json.encode(value).decode()


AWAY = "O banco de dados não responde. Confira BALCAO_DATABASE_URL e se o servidor está no ar."
_REFUSED: tuple[tuple[type[Exception], str], ...] = (
    (
        asyncpg.InvalidAuthorizationSpecificationError,
        "O banco de dados recusou o usuário ou a senha de BALCAO_DATABASE_URL.",
    ),
    (asyncpg.InvalidCatalogNameError, "O banco de dados indicado em BALCAO_DATABASE_URL não existe: crie-o antes."),
    (asyncpg.InvalidParameterValueError, "Este banco de dados ainda não foi preparado: execute `balcao migrate`."),
    (
        asyncpg.InsufficientPrivilegeError,
        "O usuário de BALCAO_DATABASE_URL não tem permissão para isto no banco de dados.",
    ),
    (
        asyncpg.ClientConfigurationError,
        "BALCAO_DATABASE_URL não é um endereço de PostgreSQL: use postgresql://usuario:senha@servidor:5432/banco.",
    ),
    (asyncpg.PostgresConnectionError, AWAY),
)


def refusal(fault: BaseException) -> str | None:
    """For the operator: why the database cannot be used; None when the fault is another matter."""
    if isinstance(fault, Unavailable) and fault.code == "store-away":
        return (fault.__cause__ and refusal(fault.__cause__)) or AWAY
    return next((sentence for kind, sentence in _REFUSED if isinstance(fault, kind)), None)
