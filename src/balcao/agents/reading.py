"""Provide access to prompts. A read by a person is audited (rules: agents 5)."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from balcao.core.context.call import Call
from balcao.core.database.pool import Connection


@asynccontextmanager
async def open_prompt_reader(call: Call) -> AsyncIterator[Connection]:
    """Yield a connection for reading prompts.

    Only reads by people are audited, because agents read prompts constantly.
    """
    if call.actor_kind == "client":
        async with call.platform.database.connection() as connection:
            yield connection
        return
    async with call.platform.database.transaction() as connection:
        await call.platform.audit.record(connection, call, "read", fields=["prompt"])
        yield connection
