"""A relay in front of a running platform.

Tests can cut off single services, hold calls back, and read the calls that have arrived.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import httpx

from tests.support.polling import PATIENCE
from tests.support.uvicorn_server import RunningForeign

Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
_SENT_ON = (b"authorization", b"if-none-match", b"content-type", b"idempotency-key")
_PASSED_ON = ("content-type", "etag", "cache-control", "retry-after", "error-code", "location")


class ServiceRelay(RunningForeign):
    """The relay to the platform at `target`, used as a context manager.

    `down` contains the prefixes of services for which the relay responds with 503. The relay holds calls back while
    `held` contains the start of their path. `holding` is the number of held calls, and `most_held` its maximum. `calls`
    counts the calls by path and status, and `queries` contains their query strings.
    """

    def __init__(self, target: str) -> None:
        self._target = target
        self.down: set[str] = set()
        self.held: set[str] = set()
        self.holding = self.most_held = 0
        self.calls: Counter[tuple[str, int]] = Counter()
        self.queries: list[str] = []

        async def serve(scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
            await self._serve(scope, receive, send)

        super().__init__(serve)  # uvicorn recognises a program only if it is a function

    def restore(self) -> None:
        """Make all services available again, and clear the recorded calls."""
        self.down.clear()
        self.held.clear()
        self.most_held = 0
        self.calls.clear()
        self.queries.clear()

    def count(self, path: str) -> int:
        """Return the number of calls whose path starts with this string."""
        return sum(number for (called, _), number in self.calls.items() if called.startswith(path))

    async def _serve(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        content, has_more = b"", True
        while has_more:
            message = await receive()
            content, has_more = content + message.get("body", b""), message.get("more_body", False)
        await self._hold(scope["path"])
        status, headers, body = await self._answer(scope, content)
        self.calls[scope["path"], status] += 1
        self.queries.append(scope["query_string"].decode())
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _hold(self, path: str) -> None:
        if not self._is_held(path):
            return
        self.holding += 1
        self.most_held = max(self.most_held, self.holding)
        try:
            while self._is_held(path):  # noqa: ASYNC110 - the thread of the test changes `held`
                await asyncio.sleep(0.01)
        finally:
            self.holding -= 1

    def _is_held(self, path: str) -> bool:
        return any(path.startswith(start) for start in list(self.held))

    async def _answer(self, scope: Mapping[str, Any], content: bytes) -> tuple[int, list[tuple[bytes, bytes]], bytes]:
        if scope["path"].split("/")[1] in self.down:
            return 503, [(b"retry-after", b"1")], b'{"error": "fora"}'
        passed = [(name, value) for name, value in scope["headers"] if name in _SENT_ON]
        path = scope["raw_path"].decode("latin-1") + (
            "?" + scope["query_string"].decode() if scope["query_string"] else ""
        )
        async with httpx.AsyncClient(timeout=PATIENCE) as http:
            answer = await http.request(scope["method"], self._target + path, headers=passed, content=content)
        headers = [(name.encode(), value.encode()) for name, value in answer.headers.items() if name in _PASSED_ON]
        return answer.status_code, headers, answer.content
