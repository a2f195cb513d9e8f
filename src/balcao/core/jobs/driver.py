"""The worker's connections to the queue."""

import asyncio

import asyncpg
from pgqueuer.db import AsyncpgPoolDriver
from pgqueuer.ports.driver import NotifyCallback


class ListeningFirst(AsyncpgPoolDriver):
    """A driver that sends notifications only after it has started to listen.

    The library tests its listener immediately, through another connection. A test notification that is sent before the
    LISTEN would be lost.
    """

    def __init__(self, pool: asyncpg.Pool) -> None:
        super().__init__(pool)
        self._listening = asyncio.Event()

    async def add_listener(self, channel: str, callback: NotifyCallback) -> None:
        await super().add_listener(channel, callback)
        self._listening.set()

    async def notify(self, channel: str, payload: str) -> None:
        await self._listening.wait()
        await super().notify(channel, payload)
