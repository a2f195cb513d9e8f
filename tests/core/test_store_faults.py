"""Every error of the driver or PostgreSQL which means that the database is down."""

from typing import Any

import asyncpg
import pytest

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable

AWAY = [
    asyncpg.InternalClientError("got result for unknown protocol state 3"),
    asyncpg.InterfaceError("connection is closed"),
    asyncpg.ConnectionDoesNotExistError("closed in the middle of an operation"),
    asyncpg.AdminShutdownError("terminating"),
    asyncpg.DiskFullError("could not extend file"),
    ConnectionResetError(),
]


@pytest.mark.parametrize("fault", AWAY, ids=lambda fault: type(fault).__name__)
async def test_it_is_unavailable_for_a_moment_and_nothing_else(platform: Platform, fault: Exception) -> None:
    with pytest.raises(Unavailable) as refused:
        async with platform.database.connection():
            raise fault
    assert (refused.value.code, refused.value.retry_after) == ("store-away", 1)
    async with platform.database.connection() as connection:
        assert await connection.fetchval("SELECT 1") == 1


async def test_a_connection_that_closes_within_a_statement_is_unavailable(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare = asyncpg.Connection._get_statement

    async def close_afterwards(connection: asyncpg.Connection, *given: Any, **named: Any) -> Any:
        statement = await prepare(connection, *given, **named)
        connection.terminate()
        return statement

    monkeypatch.setattr(asyncpg.Connection, "_get_statement", close_afterwards)
    with pytest.raises(Unavailable):
        async with platform.database.connection() as connection:
            await connection.fetchval("SELECT 1")


async def test_a_missing_attribute_of_our_own_is_our_own_fault(platform: Platform) -> None:
    with pytest.raises(AttributeError):
        async with platform.database.connection():
            raise AttributeError(name="bind_execute", obj=None)


async def test_a_refusal_of_an_argument_is_our_own_fault(platform: Platform) -> None:
    with pytest.raises(asyncpg.DataError):
        async with platform.database.connection() as connection:
            await connection.fetchval("SELECT $1::integer", "text")
