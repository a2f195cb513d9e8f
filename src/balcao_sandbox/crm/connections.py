"""Closes a client's connection without a response. ASGI itself does not support this."""

import asyncio
from contextvars import ContextVar
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

Address = tuple[str, int]

_open: dict[Address, asyncio.Transport] = {}
_current: ContextVar[Address] = ContextVar("sandbox_client")


class ClosableProtocol(H11Protocol):
    """uvicorn's HTTP protocol, extended to register each transport under its client's address."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Register the transport."""
        super().connection_made(transport)
        if self.client:
            _open[self.client] = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Unregister the transport."""
        super().connection_lost(exc)
        if self.client:
            _open.pop(self.client, None)


def remember_client(application: Any) -> Any:
    """Wrap an ASGI application to record the client of the current request, which `close` needs."""

    async def remember(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            _current.set(tuple(scope["client"]))
        await application(scope, receive, send)

    return remember


async def close() -> None:
    """Abort the connection of the current request."""
    _open[_current.get()].abort()
    await asyncio.sleep(0)  # let uvicorn notice the loss, so that it does not respond
