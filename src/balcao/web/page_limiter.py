"""Limit how many pages a process renders at the same time.

A page spends most of its time waiting for the services, and all pages of a process share a core. If all pages started
immediately, each call would take as long as all pages together, and most calls would time out.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from balcao.web.faults import PageFault

# The numbers of slots, in total and for each person. More concurrent pages would not finish sooner. The limit per
# person is about the number of requests that a browser sends at the same time.
SLOTS, SLOTS_OF_PERSON = 16, 4
# The longest wait for a slot. After a longer wait, the person gets an error page and keeps the text in the form.
LONGEST_SECONDS = 20.0


class PageLimiter:
    """The page slots of a process.

    A page acquires one of the person's slots first, so that queued pages of one person never occupy shared slots.
    """

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(SLOTS)
        self._of_people: WeakValueDictionary[bytes, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def acquire(self, person: bytes) -> AsyncIterator[None]:
        """Hold a slot for one of the person's pages while the block runs. Raises PageFault if the wait is too long."""
        own = self._of_people.setdefault(person, asyncio.Semaphore(SLOTS_OF_PERSON))
        async with AsyncExitStack() as taken:
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    await taken.enter_async_context(own)
                    await taken.enter_async_context(self._slots)
            except TimeoutError:
                text = (
                    "O painel está atendendo muita gente ao mesmo tempo. Nada foi gravado: tente de novo em instantes."
                )
                raise PageFault(503, "Muita gente ao mesmo tempo", text, retry_after=5) from None
            yield
