"""Look-ups by key and small writes share a statement if they arrive at the same time."""

import asyncio
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from balcao.core.database import pool
from balcao.core.database.lookups import lookup
from balcao.core.database.pool import Connection, Database, Source
from balcao.core.errors import Unavailable
from tests.support.polling import PATIENCE
from tests.support.sent_statements import Statements, recorded


@lookup("SELECT capital FROM public.capital WHERE country = :country")
async def read_capital(source: Source, country: str) -> str | None: ...


@lookup("SELECT 10 / :divisor")
async def divide_ten(source: Source, divisor: int) -> int | None: ...


@lookup("SELECT pg_sleep(60)::text FROM (VALUES (:number::bigint)) AS asked")
async def sleep_long(source: Source, number: int) -> str | None: ...


_ADD = """
INSERT INTO public.capital (country, capital)
SELECT * FROM unnest($1::text[], $2::text[]) AS offered (country, capital) ORDER BY country
RETURNING country
"""


async def add(connection: Connection, rows: Sequence[tuple[str, str]]) -> list[str]:
    added = {row["country"] for row in await connection.fetch(_ADD, *map(list, zip(*rows, strict=True)))}
    return [country for country, _ in rows if country in added]


@pytest_asyncio.fixture
async def owner(database_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(database_url)
    await connection.execute("""
        DROP TABLE IF EXISTS public.capital;
        CREATE TABLE public.capital (country text PRIMARY KEY, capital text NOT NULL CHECK (capital <> ''));
        INSERT INTO public.capital VALUES ('Brasil', 'Brasília'), ('Chile', 'Santiago'), ('Peru', 'Lima');
        GRANT SELECT, INSERT ON public.capital TO balcao_app;
    """)
    yield connection
    await connection.close()


@pytest.fixture
def statements() -> Iterator[Statements]:
    with recorded() as found:
        yield found


@pytest_asyncio.fixture
async def database(database_url: str, owner: Any, statements: Statements) -> AsyncIterator[Database]:
    opened = Database(database_url, size=4)
    await opened.open()
    yield opened
    await opened.close()


async def capitals(database: Database, *countries: str) -> list[str | None]:
    return await asyncio.gather(*(read_capital(database, country) for country in countries))


async def test_each_caller_gets_the_row_of_their_own_key(database: Database) -> None:
    asked = ["Peru", "Brasil", "Uruguai", "Chile", "Peru", "Brasil"] * 5
    found = await capitals(database, *asked)
    assert found == ["Lima", "Brasília", None, "Santiago", "Lima", "Brasília"] * 5


async def test_look_ups_at_the_same_time_share_a_statement(database: Database, statements: Statements) -> None:
    await capitals(database, *["Peru", "Chile", "Brasil"] * 10)
    # In Python 3.12 and later, the first call is sent immediately.
    first = [] if sys.version_info < (3, 12) else [read_capital.sql]
    assert statements.texts == [*first, read_capital.shared_sql]


async def test_a_look_up_that_nobody_joins_is_one_statement_with_its_own_key(
    database: Database, statements: Statements
) -> None:
    for _ in range(3):
        await capitals(database, "Peru")
    assert statements.texts == [read_capital.sql] * 3


async def test_a_key_that_is_refused_fails_alone(database: Database) -> None:
    keys = [1, 1, 1, 1, 2, 5, 0, 10]
    rows = await asyncio.gather(*(divide_ten(database, key) for key in keys), return_exceptions=True)
    assert isinstance(rows[6], asyncpg.DivisionByZeroError)
    assert [row for row in rows if isinstance(row, int)] == [10, 10, 10, 10, 5, 2, 1]


async def test_a_key_that_the_driver_refuses_fails_alone(database: Database) -> None:
    keys: list[Any] = [1, 1, 1, 1, 1, 2, "five", 10]
    rows = await asyncio.gather(*(divide_ten(database, key) for key in keys), return_exceptions=True)
    assert isinstance(rows[6], asyncpg.DataError)
    assert [type(row) for row in [*rows[:6], rows[7]]] == [int] * 7


async def test_a_caller_who_gives_up_takes_nothing_from_the_others(database: Database) -> None:
    asked = [asyncio.ensure_future(capitals(database, country)) for country in ["Peru", "Chile", "Brasil"] * 3]
    await asyncio.sleep(0)
    for gone in (0, 6):  # call 0 has its own statement, call 6 is in a batch
        asked[gone].cancel()
    found = await asyncio.gather(*asked, return_exceptions=True)
    assert [isinstance(found[gone], asyncio.CancelledError) for gone in (0, 6)] == [True, True]
    assert found[1:6] == [["Santiago"], ["Brasília"], ["Lima"], ["Santiago"], ["Brasília"]]
    assert found[7:] == [["Santiago"], ["Brasília"]]
    assert await capitals(database, "Peru") == ["Lima"]


async def test_a_look_up_survives_the_loss_of_every_connection(database: Database, owner: asyncpg.Connection) -> None:
    await capitals(database, *["Peru", "Chile", "Brasil"] * 10)
    ended = await owner.fetch("""
        SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'balcao'
    """)
    assert ended
    assert await capitals(database, *["Peru", "Chile"] * 10) == ["Lima", "Santiago"] * 10


async def test_the_place_of_a_lost_connection_is_taken_once(database: Database) -> None:
    """Only the first caller in the queue may open a new connection in the slot of a lost one."""
    deadline = asyncio.get_running_loop().time() + PATIENCE
    held = [await database.acquire("", deadline) for _ in range(4)]
    waiting = asyncio.create_task(database.acquire("", deadline))
    await asyncio.sleep(0)  # let the task join the queue

    async def lose_and_take() -> Connection:
        await database.release(held[0], "", is_usable=False)
        return await database.acquire("", deadline)

    losing = asyncio.create_task(lose_and_take())
    opened = await waiting
    await database.release(held[1], "", is_usable=True)
    assert await losing is held[1]
    for connection in (opened, *held[1:]):
        await database.release(connection, "", is_usable=True)
    assert database.in_use == 0


async def test_a_database_that_does_not_respond_is_unavailable(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "LOOKUP_SECONDS", 0.2)
    found = await asyncio.gather(*(sleep_long(database, key) for key in range(7)), return_exceptions=True)
    assert [type(failure) for failure in found] == [Unavailable] * 7
    assert await capitals(database, "Peru") == ["Lima"]


async def test_writes_at_the_same_time_share_a_commit(
    database: Database, statements: Statements, owner: asyncpg.Connection
) -> None:
    rows = [(f"country {number}", "x") for number in range(20)]
    written = await asyncio.gather(*(database.write_grouped(add, row) for row in rows))
    assert written == [country for country, _ in rows]
    assert len(statements.texts) == 1
    assert await owner.fetchval("SELECT count(*) FROM public.capital WHERE capital = 'x'") == 20


async def test_a_row_that_is_refused_fails_alone(database: Database, owner: asyncpg.Connection) -> None:
    rows = [("Uruguai", "Montevidéu"), ("Peru", "Cusco"), ("Bolívia", ""), ("Paraguai", "Assunção")]
    outcomes = await asyncio.gather(*(database.write_grouped(add, row) for row in rows), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [
        str,
        asyncpg.UniqueViolationError,
        asyncpg.CheckViolationError,
        str,
    ]
    found = await owner.fetch("SELECT country FROM public.capital ORDER BY country")
    assert [row["country"] for row in found] == ["Brasil", "Chile", "Paraguai", "Peru", "Uruguai"]


async def test_a_write_is_not_repeated_when_its_connection_is_lost(
    database: Database, owner: asyncpg.Connection
) -> None:
    """The write may already be committed, so a retry could apply it twice."""
    attempts = []

    async def lose(connection: Connection, rows: Sequence[str]) -> list[None]:
        attempts.append(rows)
        await owner.execute("SELECT pg_terminate_backend($1, 5000)", connection.get_server_pid())
        await connection.execute("SELECT")
        return [None] * len(rows)

    outcomes = await asyncio.gather(*(database.write_grouped(lose, row) for row in "abc"), return_exceptions=True)
    assert [type(outcome) for outcome in outcomes] == [Unavailable] * 3
    assert attempts == [["a", "b", "c"]]


async def test_closing_waits_for_what_is_under_way(database_url: str, owner: asyncpg.Connection) -> None:
    database = Database(database_url, size=2)
    await database.open()
    writing = [asyncio.ensure_future(database.write_grouped(add, (f"late {number}", "y"))) for number in range(3)]
    await asyncio.sleep(0)
    await database.close()
    await asyncio.gather(*writing)
    assert await owner.fetchval("SELECT count(*) FROM public.capital WHERE capital = 'y'") == 3


async def test_a_connection_left_in_a_transaction_by_a_fault_is_not_used_again_so(database: Database) -> None:
    async def fail() -> None:
        async with database.connection() as connection:
            await connection.execute("BEGIN")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        await fail()
    async with database.connection() as connection:
        assert not connection.is_in_transaction()
