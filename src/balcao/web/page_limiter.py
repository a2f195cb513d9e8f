"""Limits how many pages a process renders concurrently.

A page spends most of its time waiting for the services, but all pages of a process share one CPU core. If all pages
started immediately, each call would take as long as all pages together, and most calls would time out.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from balcao.web.faults import PageFault

# The number of slots in total, and for each person. With more concurrent pages, no page would finish sooner. The limit
# for each person is about the number of requests that a browser sends at the same time.
SLOTS, SLOTS_OF_PERSON = 16, 4
# A page waits at most this long for a slot. Then the person gets an error page, which keeps the text in the form.
LONGEST_SECONDS = 20.0


class PageLimiter:
    """A process's slots for pages.

    A page first acquires one of the slots of the person who requested it. One person's queued pages therefore never
    occupy the shared slots.
    """

    def __init__(self) -> None:
        self._slots = asyncio.Semaphore(SLOTS)
        self._of_people: WeakValueDictionary[bytes, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def acquire(self, person: bytes) -> AsyncIterator[None]:
        """Hold a slot for one of the person's pages while the block runs.

        Raises PageFault if no slot is free in time.
        """
        own = self._of_people.setdefault(person, asyncio.Semaphore(SLOTS_OF_PERSON))
        async with AsyncExitStack() as taken:
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    await taken.enter_async_context(own)
                    await taken.enter_async_context(self._slots)
            except TimeoutError:
                text = "A sua página não ficou pronta a tempo. Nada foi gravado: tente de novo em instantes."
                raise PageFault(503, "Muita gente ao mesmo tempo", text, retry_after=5) from None
            yield
