"""A displayed request always has the state of its last step, even if the step is added during the read."""

import asyncio
from collections.abc import Callable

import asyncpg
import httpx
import pytest

from tests.registry.requests.conftest import Citizen, Staff
from tests.support.polling import PATIENCE

WAITING = "SELECT count(*) FROM pg_locks WHERE relation = 'registry.request_step'::regclass AND NOT granted"
MOVE = "UPDATE registry.request SET state = 'in_progress', last_step = last_step + 1 WHERE number = $1"
STEP = """
INSERT INTO registry.request_step (cpf, request, seq, state, author, at)
SELECT cpf, id, last_step, state, 'staff', now() FROM registry.request WHERE number = $1
"""
Readers = dict[str, Callable[[], httpx.Response]]


@pytest.mark.parametrize("reader", ["citizen", "staff", "code"])
def test_a_step_between_two_statements_of_a_read_is_not_half_shown(
    reader: str, citizen: Citizen, admin: Staff, http: httpx.Client, database_url: str
) -> None:
    made = citizen.opened()
    number = made["number"]
    follow = {"number": number, "code": made["code"]}
    readers: Readers = {
        "citizen": lambda: citizen.read(number),
        "staff": lambda: admin.read(number),
        "code": lambda: http.post("/registry/v1/maintenance-requests/follow", json=follow),
    }
    shown = asyncio.run(add_step_meanwhile(database_url, number, readers[reader])).json()
    assert shown["state"] == shown["steps"][-1]["state"]
    assert readers[reader]().json()["state"] == "in_progress"


async def add_step_meanwhile(database_url: str, number: str, read: Callable[[], httpx.Response]) -> httpx.Response:
    """Add a step after the read has received the request and before it receives the steps."""
    connection = await asyncpg.connect(database_url)
    try:
        async with connection.transaction():
            await connection.execute("LOCK TABLE registry.request_step IN ACCESS EXCLUSIVE MODE")
            reading = asyncio.create_task(asyncio.to_thread(read))
            async with asyncio.timeout(PATIENCE):
                while not await connection.fetchval(WAITING):  # noqa: ASYNC110 - another process waits
                    await asyncio.sleep(0.01)
            await connection.execute(MOVE, number)
            await connection.execute(STEP, number)
        return await reading
    finally:
        await connection.close()
