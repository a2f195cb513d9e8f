"""Limits how many pages a process works on at the same time.

A page spends most of its time waiting for the services, and all pages of a process share a core. If all were begun at
once, each call would take as long as all pages together. Most pages would wait too long for it and fail.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from balcao.web.faults import PageFault

# More pages at once would not be done sooner. One person has about as many as a browser asks for at once.
PLACES, OF_PERSON = 16, 4
# After a longer wait the person is told so, and keeps what they have typed.
LONGEST_SECONDS = 20.0


class PageLimiter:
    """The pages of a process. A person's further pages wait for their own first, so that they hold up no others."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(PLACES)
        self._of_people: WeakValueDictionary[bytes, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def acquire(self, person: bytes) -> AsyncIterator[None]:
        """Let one page of the person run in this block. Raises PageFault after too long a wait."""
        own = self._of_people.setdefault(person, asyncio.Semaphore(OF_PERSON))
        async with AsyncExitStack() as taken:
            try:
                async with asyncio.timeout(LONGEST_SECONDS):
                    await taken.enter_async_context(own)
                    await taken.enter_async_context(self._places)
            except TimeoutError:
                text = (
                    "O painel está atendendo muita gente ao mesmo tempo. Nada foi gravado: tente de novo em instantes."
                )
                raise PageFault(503, "Muita gente ao mesmo tempo", text, retry_after=5) from None
            yield
