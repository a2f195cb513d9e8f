"""Closes a client's connection without an answer, which ASGI itself has no word for."""

import asyncio
from typing import Any

from litestar import Request
from uvicorn.protocols.http.h11_impl import H11Protocol

_open: dict[tuple[str, int], asyncio.Transport] = {}


class ClosableProtocol(H11Protocol):
    """uvicorn's own protocol, with its transport to be found by the client's address."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if self.client:
            _open[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self.client:
            _open.pop(self.client, None)


async def close(request: Request[Any, Any, Any]) -> None:
    client = request.scope["client"]
    if client is not None:
        _open[(client[0], client[1])].abort()
    await asyncio.sleep(0)  # the loss is noticed first, so that what the handler returns is not sent
