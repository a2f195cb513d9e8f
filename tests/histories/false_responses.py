"""Planted faults: transports that return false responses to clients, as a faulty platform would."""

import asyncio
import json
import random
from abc import ABC, abstractmethod
from typing import TypeAlias

import httpx

SHARE = 0.05  # the share of all calls whose responses are falsified
LATE_SECONDS = 0.2


class _Liar(httpx.AsyncHTTPTransport, ABC):
    """A transport that gives a share of the calls to `lie`. The seed decides which calls."""

    def __init__(self, seed: int, share: float = SHARE) -> None:
        super().__init__()
        self._share = share
        self._chance = random.Random(seed)
        self._shown: dict[str, bytes] = {}
        self._shown_first: dict[str, bytes] = {}
        self._made: dict[tuple[str, str], httpx.Response] = {}
        self._late: set[asyncio.Task[httpx.Response]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        lied = await self.lie(request) if self._chance.random() < self._share else None
        return lied or await self.pass_on(request)

    @abstractmethod
    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        """Return a false response, or None if this request cannot have one."""

    async def pass_on(self, request: httpx.Request) -> httpx.Response:
        answer = await super().handle_async_request(request)
        body = await answer.aread()
        if request.method == "GET" and answer.status_code == 200:
            self._shown[str(request.url)] = body
            self._shown_first.setdefault(str(request.url), body)
        passed = httpx.Response(answer.status_code, headers=_list_headers(answer), content=body)
        if request.method != "GET" and passed.is_success:
            self._made[request.method, str(request.url)] = passed
        return passed

    def pass_on_late(self, request: httpx.Request) -> None:
        async def wait() -> httpx.Response:
            await asyncio.sleep(LATE_SECONDS)
            return await self.pass_on(request)

        self._late.add(asyncio.create_task(wait()))

    async def aclose(self) -> None:
        await asyncio.gather(*self._late, return_exceptions=True)
        await super().aclose()

    def promise(self, request: httpx.Request) -> httpx.Response | None:
        """Predict the response to a change of preferences. Return None if no earlier read has shown the preferences."""
        url, _, category = str(request.url).partition("/categories/")
        if request.method not in ("PUT", "PATCH") or url not in self._shown:
            return None
        body, shown = json.loads(request.content), json.loads(self._shown[url])
        choices = {category: body["opt_in"]} if category else body["category_opt_ins"]
        opt_in = shown["opt_in"] if category else body["opt_in"]
        return httpx.Response(200, json={"opt_in": opt_in, "category_opt_ins": shown["category_opt_ins"] | choices})


class LostWrites(_Liar):
    """A transport that acknowledges changes without making them."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        return self.promise(request)


class EarlyAnswers(_Liar):
    """A transport that acknowledges changes before they are made."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        if promised := self.promise(request):
            self.pass_on_late(request)
        return promised


class DoubledWrites(_Liar):
    """A transport that repeats changes after their responses, as a queue without deduplication would.

    Other changes may happen in between.
    """

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        answer = await self.pass_on(request)
        if request.method != "GET":
            self.pass_on_late(request)
        return answer


class StaleReads(_Liar):
    """A transport that repeats the first response to a read, as a stale cache or replica would."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        shown = self._shown_first.get(str(request.url))
        return httpx.Response(200, content=shown) if request.method == "GET" and shown is not None else None


class ForgottenWrites(_Liar):
    """A transport that does not make a change, but repeats the response to the previous change at this address."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        before = self._made.get((request.method, str(request.url)))
        return before and httpx.Response(before.status_code, headers=before.headers, content=before.content)


class FalseRefusals(_Liar):
    """A transport that makes changes but reports that they were refused."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        if request.method == "GET":
            return None
        await self.pass_on(request)
        return httpx.Response(403, json={"error": "Não é permitido."})


class SwappedAnswers(_Liar):
    """A transport that returns the response from another address, as a cache with a wrong key would."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        others = [body for url, body in self._shown.items() if url != str(request.url)]
        return httpx.Response(200, content=self._chance.choice(others)) if request.method == "GET" and others else None


def _list_headers(answer: httpx.Response) -> dict[str, str]:
    """Return the headers that clients use. All others describe the transfer of the body."""
    return {name: answer.headers[name] for name in ("location", "etag") if name in answer.headers}


Lies: TypeAlias = (
    type[LostWrites]
    | type[EarlyAnswers]
    | type[DoubledWrites]
    | type[StaleReads]
    | type[ForgottenWrites]
    | type[FalseRefusals]
    | type[SwappedAnswers]
)
LIES: tuple[Lies, ...] = (LostWrites, EarlyAnswers, DoubledWrites, StaleReads)
