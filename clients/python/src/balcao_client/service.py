"""The base classes of the generated services."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from balcao_client.calls import Call
from balcao_client.streams import Event
from balcao_client.transport import AsyncTransport, Transport


class Service:
    """The base class of a service's operations."""

    NAME: str

    def __init__(self, transport: Transport, base: str) -> None:
        self._transport = transport
        self._base = base

    def _send(self, call: Call, result: Any) -> Any:
        return self._transport.send(self._base, replace(call, service=self.NAME), result)

    def _stream(self, call: Call, *, resumes: bool) -> Iterator[Event]:
        return self._transport.stream(self._base, replace(call, service=self.NAME), resumes=resumes)


class AsyncService:
    """The base class of a service's operations as coroutines."""

    NAME: str

    def __init__(self, transport: AsyncTransport, base: str) -> None:
        self._transport = transport
        self._base = base

    async def _send(self, call: Call, result: Any) -> Any:
        return await self._transport.send(self._base, replace(call, service=self.NAME), result)

    def _stream(self, call: Call, *, resumes: bool) -> AsyncIterator[Event]:
        return self._transport.stream(self._base, replace(call, service=self.NAME), resumes=resumes)


def iterate(read: Callable[[int], Sequence[Any]], first: int, step: int, size: int) -> Iterator[Any]:
    """Yield the items of all pages. A page with fewer items than requested is the last one."""
    place = first
    while items := read(place):
        yield from items
        if len(items) < size:
            return
        place += step


async def iterate_async(read: Callable[[int], Any], first: int, step: int, size: int) -> AsyncIterator[Any]:
    """Yield the items of all pages, as `iterate` does."""
    place = first
    while items := await read(place):
        for item in items:
            yield item
        if len(items) < size:
            return
        place += step
