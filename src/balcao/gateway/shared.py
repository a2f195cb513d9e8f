"""The state that all connections of one server share."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from balcao.gateway.application import Served
from balcao.gateway.discarding import DiscardLimiter
from balcao.gateway.fair_scheduler import FairScheduler
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota

C = TypeVar("C")


class Shared(Generic[C]):
    """The state that all connections (of type C) of one server share.

    `made` and `ended` are called for each connection.
    """

    def __init__(
        self,
        application: Served,
        limits: Limits,
        bodies: Quota,
        made: Callable[[C], None],
        ended: Callable[[C], None],
    ) -> None:
        self.application = application
        self.limits = limits
        self.bodies = bodies
        self.made = made
        self.ended = ended
        self.loop = asyncio.get_running_loop()
        self.scheduler = FairScheduler(self.loop, application.identify)
        self.discards = DiscardLimiter(self.loop)
        # One buffer for all connections is enough, because received data are parsed before the loop reads from another
        # connection.
        self.buffer = memoryview(bytearray(limits.head_bytes))
