"""The number of waiting events. Each process counts them in the database at most once a second.

Between two counts, a process adds only the events that it accepts itself. The limit is therefore approximate: several
processes may exceed it by the events that they accept within a second.
"""

import time

from balcao.core.context.platform import Platform
from balcao.core.errors import Unavailable
from balcao.registry.crm.events import store

COUNT_SECONDS = 1.0


class Backlog:
    """Counts waiting events approximately, and enforces the limit."""

    def __init__(self) -> None:
        self._waiting = 0
        self._counted_at = float("-inf")

    async def refuse_when_full(self, platform: Platform) -> None:
        """Raise Unavailable if more events wait than the settings allow (rules: registry 4.1 row 4)."""
        most = platform.settings.crm_event_queue_max
        if time.monotonic() - self._counted_at > COUNT_SECONDS:
            self._counted_at = time.monotonic()  # already set here, so that concurrent calls do not count too
            async with platform.database.connection() as connection:
                self._waiting = await store.count_waiting_events(connection, most + 1)
        if self._waiting > most:
            raise Unavailable("Há eventos demais na fila: tente mais tarde.", code="queue-full", retry_after=30)

    def add(self) -> None:
        """Increment the count for an event that this process has accepted."""
        self._waiting += 1
