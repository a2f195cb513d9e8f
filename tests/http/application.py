"""A small application that says what reached it."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

_STATUS = {b"/none": 204, b"/unchanged": 304}


class Echo:
    """Answers `METHOD path?query length-of-body`; some paths behave in a way of their own.

    `/unread` answers before the body, `/fails` and `/injects` cannot answer, `/waits` answers once `released` is set.
    """

    def __init__(self) -> None:
        self.served = 0
        self.arrived = threading.Event()
        self.released = threading.Event()

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            return
        self.served += 1
        path = scope["raw_path"]
        if path == b"/fails":
            raise ValueError("the application failed")
        if path == b"/waits":
            self.arrived.set()
            await asyncio.to_thread(self.released.wait, 60)
        size = 0 if path == b"/unread" else await _size(receive)
        query = scope["query_string"]
        seen = b"%s %s %d" % (scope["method"].encode(), path + (b"?" + query if query else b""), size)
        status = _STATUS.get(path, 200)
        headers = [(b"injected", b"a\r\nb: c")] if path == b"/injects" else []
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if status != 200 else seen})


async def _size(receive: Receive) -> int:
    size = 0
    while True:
        message = await receive()
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            return size
