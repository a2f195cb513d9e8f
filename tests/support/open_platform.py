"""The platform opened without a server, as the worker and the commands open it."""

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from balcao import app
from balcao.core.context.platform import Platform
from tests.support.polling import until

T = TypeVar("T")

# The description of the agents' service is generated when it is opened, and only its own pages show it.
WORKING = [service for service in app.SERVICES if service is not app.AGENT_DOCS]


def opened(platform: Platform, *, bare: bool = False) -> AbstractAsyncContextManager[None]:
    return app.open_services(platform, () if bare else WORKING)


async def settled(platform: Platform, awaited: Awaitable[T], kept: int = 0) -> T:
    """Return what is awaited, once the platform holds no connection any more but those that the test keeps.

    Where its event loop stands still between two calls, a copy that it was reading again would keep its locks until the
    next one, and whoever empties the table meanwhile would wait for ever.
    """
    try:
        return await awaited
    finally:
        await until(lambda: platform.database.in_use <= kept)
