"""Use cases run by a command: by the right of the operator, on the configured database, answering in JSON."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec

from balcao.cli import database
from balcao.cli.faults import OperatorFault
from balcao.core.context.call import Call, operator_call
from balcao.core.errors import BalcaoError
from balcao.settings import Settings

T = TypeVar("T")


def use(operation: str, act: Callable[[Call], Awaitable[T]]) -> T:
    """What `act` answers. Raises OperatorFault with the sentence of a refusal."""
    settings = Settings.load()

    async def run(url: str) -> T:
        async with database.platform(settings, url) as platform:
            return await act(operator_call(platform, operation))

    with database.reached(settings) as url:
        return saying(lambda: asyncio.run(run(url)))


def saying(act: Callable[[], T]) -> T:
    """Turns a refusal of the use case into one of the command."""
    try:
        return act()
    except BalcaoError as refused:
        if refused.status >= 500:
            raise
        raise OperatorFault(str(refused)) from None


def print_json(value: Any) -> None:
    print(msgspec.json.format(msgspec.json.encode(value)).decode())
