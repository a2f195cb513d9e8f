"""Pages under way in a process: a few at a time, so that under any crowd each page's calls come back in time.

A page waits for the services most of its life, and all pages of a process share a core. Were everybody's begun at once,
each call would take as long as all pages together, longer than a page waits for it, and what had been done for nearly
all of them would be thrown away.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from balcao.console.faults import PageFault

# More would take no less time together; of one person it is as many as a browser asks for at once, roughly.
PLACES, OF_PERSON = 16, 4
# Who waits longer than this is told so, with what they have typed.
LONGEST_SECONDS = 20.0


class Crowd:
    """The places of a process. Who is beyond waits in line, by person first: nobody's many pages hold up another's."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(PLACES)
        self._of_people: WeakValueDictionary[bytes, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def place(self, person: bytes) -> AsyncIterator[None]:
        """Take a place for the block. Raises PageFault for who has waited too long."""
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
