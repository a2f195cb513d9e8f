"""Planted faults: what stands between the clients and the platform, and lies as a faulty platform would."""

import asyncio
import json
import random
from abc import ABC, abstractmethod
from typing import TypeAlias

import httpx

SHARE = 0.05  # of the calls
LATE_SECONDS = 0.2


class _Liar(httpx.AsyncHTTPTransport, ABC):
    """Passes calls on, but for some in each hundred; the choice is the seed's."""

    def __init__(self, seed: int) -> None:
        super().__init__()
        self._chance = random.Random(seed)
        self._shown: dict[str, bytes] = {}
        self._late: set[asyncio.Task[httpx.Response]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        lied = await self.lie(request) if self._chance.random() < SHARE else None
        return lied or await self.pass_on(request)

    @abstractmethod
    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        """Return a false answer, if there is one to this request."""

    async def pass_on(self, request: httpx.Request) -> httpx.Response:
        answer = await super().handle_async_request(request)
        body = await answer.aread()
        if request.method == "GET" and answer.status_code == 200:
            self._shown[str(request.url)] = body
        return httpx.Response(answer.status_code, content=body)

    def pass_on_late(self, request: httpx.Request) -> None:
        async def wait() -> httpx.Response:
            await asyncio.sleep(LATE_SECONDS)
            return await self.pass_on(request)

        self._late.add(asyncio.create_task(wait()))

    async def aclose(self) -> None:
        await asyncio.gather(*self._late, return_exceptions=True)
        await super().aclose()

    def promise(self, request: httpx.Request) -> httpx.Response | None:
        """Return what the platform would answer to this change of preferences, if they were shown before."""
        url, _, category = str(request.url).partition("/categories/")
        if request.method not in ("PUT", "PATCH") or url not in self._shown:
            return None
        body, shown = json.loads(request.content), json.loads(self._shown[url])
        choices = {category: body["opt_in"]} if category else body["category_opt_ins"]
        opt_in = shown["opt_in"] if category else body["opt_in"]
        return httpx.Response(200, json={"opt_in": opt_in, "category_opt_ins": shown["category_opt_ins"] | choices})


class LostWrites(_Liar):
    """Acknowledges changes that it never makes."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        return self.promise(request)


class EarlyAnswers(_Liar):
    """Answers changes before it makes them."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        if promised := self.promise(request):
            self.pass_on_late(request)
        return promised


class DoubledWrites(_Liar):
    """Makes an answered change again, after others may have made theirs, as a queue without a memory would."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        answer = await self.pass_on(request)
        if request.method != "GET":
            self.pass_on_late(request)
        return answer


class StaleReads(_Liar):
    """Shows what it has shown before, whatever was changed since, as a cache or a replica behind would."""

    async def lie(self, request: httpx.Request) -> httpx.Response | None:
        shown = self._shown.get(str(request.url))
        return httpx.Response(200, content=shown) if request.method == "GET" and shown is not None else None


Lies: TypeAlias = type[LostWrites] | type[EarlyAnswers] | type[DoubledWrites] | type[StaleReads]
LIES: tuple[Lies, ...] = (LostWrites, EarlyAnswers, DoubledWrites, StaleReads)
