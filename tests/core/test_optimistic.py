"""An optimistic write that loses a race is retried a limited number of times."""

import pytest

from balcao.core.context.optimistic import MOST_TRIES, write_optimistically
from balcao.core.context.platform import Platform
from balcao.core.database.pool import Connection, Database
from balcao.core.errors import Unavailable


async def write_after(database: Database, overtaken: int) -> int:
    """Return the number of the attempt that succeeds. The first `overtaken` attempts lose the race."""
    tries = 0

    async def attempt(connection: Connection) -> int | None:
        nonlocal tries
        tries += 1
        assert await connection.fetchval("SELECT true")
        return tries if tries > overtaken else None

    return await write_optimistically(database, attempt)


async def test_a_write_that_is_overtaken_is_tried_again(platform: Platform) -> None:
    assert await write_after(platform.database, overtaken=2) == 3


async def test_a_write_that_is_overtaken_every_time_is_given_up(platform: Platform) -> None:
    with pytest.raises(Unavailable):
        await write_after(platform.database, overtaken=MOST_TRIES)
