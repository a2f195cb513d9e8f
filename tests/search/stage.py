"""Calls use cases without a server, in sequence or concurrently, for property tests and state machines."""

import asyncio
from collections.abc import Awaitable
from contextlib import AsyncExitStack
from typing import Any, TypeVar

import asyncpg

from balcao.core.context.platform import assemble
from balcao.core.errors import BalcaoError
from balcao.settings import Settings
from tests.search.support import act_as_staff
from tests.support.open_platform import opened, settled

T = TypeVar("T")


class Stage:
    """The platform in an event loop that outlives one example."""

    def __init__(self, settings: Settings, database_url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.platform = assemble(settings, database_url)
        self._stack = AsyncExitStack()
        self._kept = 0
        self.run(self._stack.enter_async_context(opened(self.platform)))
        self.owner = self.run(asyncpg.connect(database_url))
        self.staff = act_as_staff(self.platform)

    def run(self, awaited: Awaitable[T]) -> T:
        return self.loop.run_until_complete(settled(self.platform, awaited, self._kept))

    def keep_connection(self, stack: AsyncExitStack) -> asyncpg.Connection:
        """Borrow a connection until the stack is closed.

        Until then, `run` does not wait for the connection's return.
        """
        self._kept += 1
        connection = self.run(stack.enter_async_context(self.platform.database.connection()))
        stack.callback(self._let_go)
        return connection

    def _let_go(self) -> None:
        self._kept -= 1

    def refusal(self, awaited: Awaitable[Any]) -> tuple[int, Any]:
        """Return the call's status, and the result if it succeeds."""
        try:
            return 200, self.run(awaited)
        except BalcaoError as refused:
            return refused.status, None

    def close(self) -> None:
        self.run(self.owner.close())
        self.loop.run_until_complete(self._stack.aclose())
        self.loop.close()
