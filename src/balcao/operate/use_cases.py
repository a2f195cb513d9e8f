"""Run use cases on the configured database for a command, with the operator's rights."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

from balcao.core.errors import BalcaoError
from balcao.operate import database
from balcao.operate.faults import OperatorFault
from balcao.settings import Settings

if TYPE_CHECKING:
    from balcao.core.context.call import Call

T = TypeVar("T")


def run_use_case(operation: str, act: Callable[["Call"], Awaitable[T]]) -> T:
    """Run the use case and return its result. Raises OperatorFault if the use case is refused."""
    from balcao.core.context.call import operator_call  # this imports the platform, and command help does not need it

    settings = Settings.load()

    async def run(url: str) -> T:
        async with database.open_platform(settings, url) as platform:
            return await act(operator_call(platform, operation))

    with database.open_database(settings) as url:
        return explain_refusals(lambda: asyncio.run(run(url)))


def explain_refusals(act: Callable[[], T]) -> T:
    """Run a function and return its result. Raises OperatorFault if a use case in the function is refused."""
    try:
        return act()
    except BalcaoError as refused:
        if refused.status >= 500:
            raise
        raise OperatorFault(str(refused)) from None
