"""Calls use cases next to a running server, as another process of the platform would."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import Any

from balcao.core.context.call import operator_call
from balcao.core.context.platform import assemble
from balcao.settings import Settings
from tests.support.open_platform import opened, settled

Act = Callable[..., Any]


@contextmanager
def acting(settings: Settings, database_url: str, operation: str, *, bare: bool = False) -> Iterator[Act]:
    """Yield `act(use_case, *arguments)`, which runs a use case as the operator and returns its result.

    With `bare`, the services do not open the parts that they share within a process, as in an import.
    """
    platform = assemble(settings, database_url)
    call = operator_call(platform, operation)
    stack = AsyncExitStack()

    def act(use_case: Callable[..., Awaitable[Any]], *args: Any) -> Any:
        return runner.run(settled(platform, use_case(call, *args)))

    with asyncio.Runner() as runner:
        runner.run(settled(platform, _entered(stack, opened(platform, bare=bare))))
        try:
            yield act
        finally:
            runner.run(stack.aclose())


async def _entered(stack: AsyncExitStack, context: Any) -> None:
    await stack.enter_async_context(context)
