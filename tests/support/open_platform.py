"""The platform opened without a server, as the worker and the commands open it."""

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from balcao import app
from balcao.core.context.platform import Platform
from tests.support.polling import until

T = TypeVar("T")

# Opening the agents' service generates its description, which only its own pages show.
WORKING = [service for service in app.SERVICES if service is not app.AGENT_DOCS]


def opened(platform: Platform, *, bare: bool = False) -> AbstractAsyncContextManager[None]:
    return app.open_services(platform, () if bare else WORKING)


async def settled(platform: Platform, awaited: Awaitable[T], kept: int = 0) -> T:
    """Return the awaited result, after the platform has returned all connections except those that the test uses.

    If the event loop pauses between two calls, a cached copy that is being refreshed would hold its locks until the
    next call. A test that truncates the table meanwhile would then wait forever.
    """
    try:
        return await awaited
    finally:
        await until(lambda: platform.database.in_use <= kept)
