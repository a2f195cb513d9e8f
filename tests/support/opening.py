"""The platform opened without a server, as the worker and the commands open it."""

from contextlib import AbstractAsyncContextManager

from balcao import app
from balcao.core.context.platform import Platform

# The description of the agents' service is generated when it is opened, and only its own pages show it.
WORKING = [service for service in app.SERVICES if service is not app.AGENT_DOCS]


def opened(platform: Platform, *, bare: bool = False) -> AbstractAsyncContextManager[None]:
    return app.open_services(platform, () if bare else WORKING)
