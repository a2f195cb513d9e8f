"""Calls the services as the site's machine client."""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx

from balcao.core.client_credentials import ClientCredentials, Token
from balcao.core.logs import log
from balcao.site.reading.flights import Flights
from balcao.web.api import READ_TIMEOUT, WRITE_TIMEOUT, ServiceUnavailable, list_pairs
from balcao.web.provider import GrantRefused, Provider, ProviderAway

# One process makes at most this many calls concurrently. The gateway runs 16 calls of one caller at a time and queues
# the others.
CALLS_AT_ONCE = 32
# Wait at most this long for a slot. Only a page that already has some of its answers waits here; see `Source`.
LONGEST_WAIT_SECONDS = 10.0
# After a failed token request, wait this long before the next one.
TOKEN_PAUSE_SECONDS = 2.0


class Crowded(ServiceUnavailable):
    """Raised if no slot for a call becomes free in time. No service has failed."""

    def __init__(self) -> None:
        super().__init__("Há muita gente no site agora.")


class MachineClient:
    """The site's machine client. Its token is requested once and renewed before it expires."""

    def __init__(self, http: httpx.AsyncClient, base: str, provider: Provider, client: tuple[str, str]) -> None:
        self._http = http
        self._base = base
        self._credentials = ClientCredentials(provider.request_token, *client)
        self._asking: Flights[Token | None] = Flights()
        self._paused_until = 0.0
        self._slots = asyncio.Semaphore(CALLS_AT_ONCE)

    async def get(self, path: str, query: Mapping[str, Any], etag: str = "") -> httpx.Response:
        """Call an operation. If `etag` is given, the call is conditional.

        If the provider is down and there is no token, the call is anonymous. Public operations allow this. Raises
        ServiceUnavailable if the service cannot be reached, and Crowded if too many calls are in flight.
        """
        async with self._hold_slot():
            token = await self._asking.join("token", self._get_token)
            answer = await self._call(path, query, etag, token)
            if answer.status_code == httpx.codes.UNAUTHORIZED and token is not None:
                self._credentials.discard(token)
                token = await self._asking.join("token", self._get_token)
                answer = await self._call(path, query, etag, token)
            return answer

    async def post(self, path: str, content: bytes, headers: Mapping[str, str]) -> httpx.Response:
        """Call a public operation for a visitor without a login. Such operations ignore tokens.

        Raises ServiceUnavailable under the same conditions as `get`.
        """
        given = {"Content-Type": "application/json", **headers}
        async with self._hold_slot():
            try:
                return await self._http.post(self._base + path, content=content, headers=given, timeout=WRITE_TIMEOUT)
            except httpx.HTTPError as fault:
                raise _make_unavailable(fault) from None

    async def stop(self) -> None:
        """Cancel a token request that is in flight."""
        await self._asking.stop()

    @asynccontextmanager
    async def _hold_slot(self) -> AsyncIterator[None]:
        """Hold one of the slots for calls. Raises Crowded if no slot is free in time."""
        try:
            async with asyncio.timeout(LONGEST_WAIT_SECONDS):
                await self._slots.acquire()
        except TimeoutError:
            raise Crowded from None
        try:
            yield
        finally:
            self._slots.release()

    async def _call(self, path: str, query: Mapping[str, Any], etag: str, token: Token | None) -> httpx.Response:
        headers = {"If-None-Match": etag} if etag else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token.value}"
        pairs: list[tuple[str, Any]] = [pair for name, value in query.items() for pair in list_pairs(name, value)]
        try:
            return await self._http.get(self._base + path, params=pairs, headers=headers, timeout=READ_TIMEOUT)
        except httpx.HTTPError as fault:
            raise _make_unavailable(fault) from None

    async def _get_token(self) -> Token | None:
        if time.monotonic() < self._paused_until:
            return None
        try:
            return await self._credentials.get()
        except (GrantRefused, ProviderAway) as fault:
            log.warning("site.no_token", code=type(fault).__name__)
            self._paused_until = time.monotonic() + TOKEN_PAUSE_SECONDS
            return None


def _make_unavailable(fault: httpx.HTTPError) -> ServiceUnavailable:
    log.warning("site.api_away", code=type(fault).__name__)
    return ServiceUnavailable("O serviço não respondeu a tempo.")
