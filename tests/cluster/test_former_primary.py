"""Two servers accept writes because a former primary was not stopped. The platform uses only the promoted server."""

import asyncio
import json
from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from balcao.core.database import leadership
from balcao.core.database.leadership import FormerPrimary
from balcao.core.database.pool import Database
from balcao.core.database.queries import may_lose_writes
from balcao.core.database.refusals import describe_refusal
from balcao.core.database.servers import connect_to_server, list_servers
from balcao.core.errors import Unavailable
from balcao.core.telemetry import telemetry
from tests.cluster.postgres import Postgres
from tests.cluster.servers import folders, make_database
from tests.support.polling import until_now

pytestmark = pytest.mark.long

METRIC = "balcao_database_former_primary"
PORT = "SELECT inet_server_port()"


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[Postgres, Postgres]]:
    """Yield a running former primary and the running server that was promoted to replace it."""
    with folders(2) as (one, two), Postgres.create(one) as former:
        make_database(former)
        with former.copy(two) as promoted:
            promoted.sql("SELECT pg_promote()", database="postgres")
            yield former, promoted


def name_both(pair: tuple[Postgres, Postgres], *, reverse: bool = False) -> str:
    ports = [server.port for server in (reversed(pair) if reverse else pair)]
    return f"postgresql://balcao@{','.join(f'127.0.0.1:{port}' for port in ports)}/balcao"


def find_port(url: str) -> int:
    """Connect to the address as the platform does, and return the port of the chosen server."""

    async def connect() -> int:
        connection = await connect_to_server(url)
        port: int = await connection.fetchval(PORT)
        await connection.close()
        return port

    return asyncio.run(connect())


@pytest.fixture(autouse=True)
def new_process() -> None:
    """Forget the timelines that the process has seen in earlier tests."""
    leadership.find_leadership.cache_clear()


@pytest.mark.parametrize("reverse", [False, True])
def test_a_new_process_finds_the_promoted_server_among_two_that_accept_writes(
    pair: tuple[Postgres, Postgres], reverse: bool
) -> None:
    url = name_both(pair, reverse=reverse)
    assert {find_port(url) for _ in range(5)} == {pair[1].port}


def test_a_process_that_knows_the_promotion_rejects_the_former_primary(pair: tuple[Postgres, Postgres]) -> None:
    url = name_both(pair)
    find_port(url)
    pair[1].kill()  # only the former primary answers now
    try:
        with pytest.raises(FormerPrimary):
            find_port(url)
        with pytest.raises(Unavailable) as refused:
            asyncio.run(Database(url, role=None).open(seconds=5))
        assert "outro já foi promovido" in (describe_refusal(refused.value) or "")
    finally:
        pair[1].start()
    assert find_port(url) == pair[1].port


def test_a_repeated_refusal_is_counted_and_logged_once_a_minute(
    pair: tuple[Postgres, Postgres], caplog: pytest.LogCaptureFixture
) -> None:
    former, promoted = pair
    now = 0.0
    known = leadership.Leadership(has_several_servers=True, clock=lambda: now)

    async def check(server: Postgres, name: str, times: int = 1) -> None:
        connection = await connect_to_server(server.url("balcao"))
        for _ in range(times):
            with nullcontext() if server is promoted else pytest.raises(FormerPrimary):
                await known.check(connection, name)
        await connection.close()

    asyncio.run(check(promoted, "promoted"))
    refused = {name: telemetry.numbers("").counts.get((METRIC, name), 0) for name in ("one", "two")}
    for seconds, name, times in ((0, "one", 5), (30, "two", 1), (59.9, "one", 3), (60, "one", 2), (61, "two", 1)):
        now = seconds
        asyncio.run(check(former, name, times))
    lines = [json.loads(record.getMessage()) for record in caplog.records if "former_primary" in record.getMessage()]
    assert [(line["server"], line["count"]) for line in lines] == [("one", 1), ("two", 1), ("one", 8)]
    counted = telemetry.numbers("").counts
    assert {name: counted[METRIC, name] - refused[name] for name in refused} == {"one": 10, "two": 2}


def test_connections_from_before_the_promotion_are_not_used_again(pair: tuple[Postgres, Postgres]) -> None:
    former, promoted = pair
    url = name_both(pair)

    async def work() -> tuple[int, int]:
        database = Database(url, role=None, size=2)
        database.url = former.url("balcao")  # as before the promotion, only this server accepted writes
        await database.open()
        async with database.connection() as connection:
            before = await connection.fetchval(PORT)
        database.url = url
        # Another connection of the process, such as the one that listens, finds the promoted server.
        await (await connect_to_server(url)).close()
        async with database.connection() as connection:
            after = await connection.fetchval(PORT)
        await database.close()
        return before, after

    assert asyncio.run(work()) == (former.port, promoted.port)


def test_a_server_of_another_cluster_is_rejected(pair: tuple[Postgres, Postgres]) -> None:
    with folders(1) as (folder,), Postgres.create(folder) as stranger:
        make_database(stranger)
        url = name_both((pair[1], stranger))

        async def learn() -> None:
            connection = await connect_to_server(pair[1].url("balcao"))
            await leadership.find_leadership(*list_servers(url)).check(connection, "promoted")
            await connection.close()

        asyncio.run(learn())
        assert {find_port(url) for _ in range(5)} == {pair[1].port}


def test_a_replaced_server_behind_one_address_is_accepted(pair: tuple[Postgres, Postgres]) -> None:
    """The server behind an address may be replaced, for example after `pg_upgrade`."""
    known = leadership.Leadership(has_several_servers=False)

    async def check(server: Postgres) -> int:
        connection = await connect_to_server(server.url("balcao"))
        timeline = await known.check(connection, str(server.port))
        await connection.close()
        return timeline

    with folders(1) as (folder,), Postgres.create(folder) as replacement:
        make_database(replacement)
        assert [asyncio.run(check(server)) for server in (pair[1], replacement)] == [2, 1]


def test_commits_that_wait_for_no_replica_are_reported(pair: tuple[Postgres, Postgres]) -> None:
    promoted = pair[1]

    async def ask() -> bool:
        connection = await connect_to_server(promoted.url("balcao"))
        found = await may_lose_writes(connection)
        await connection.close()
        return found

    assert asyncio.run(ask())
    promoted.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (one, two)'")
    promoted.sql("SELECT pg_reload_conf()")
    until_now(lambda: not asyncio.run(ask()))
