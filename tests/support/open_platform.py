"""Opens the platform without a server, as the worker and the commands do."""

from collections.abc import Awaitable
from contextlib import AbstractAsyncContextManager
from typing import TypeVar

from balcao import app
from balcao.core.context.platform import Platform
from tests.support.polling import until

T = TypeVar("T")

# All services except `agent_docs`. Opening that one generates a description, which only its own pages show.
WORKING = [service for service in app.SERVICES if service is not app.AGENT_DOCS]


def opened(platform: Platform, *, bare: bool = False) -> AbstractAsyncContextManager[None]:
    return app.open_services(platform, () if bare else WORKING)


async def settled(platform: Platform, awaited: Awaitable[T], kept: int = 0) -> T:
    """Await the result, and return it once at most `kept` of the platform's connections are in use.

    Otherwise the event loop could stop while a cached copy is being refreshed, and the refresh would hold its locks
    until the next call. A test that truncates the table meanwhile would wait forever.
    """
    try:
        return await awaited
    finally:
        await until(lambda: platform.database.in_use <= kept)
