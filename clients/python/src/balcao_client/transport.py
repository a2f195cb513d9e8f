"""Sends calls: token, tries, and the end of the connection."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx

from balcao_client.calls import Call, Retries, next_wait, read_response
from balcao_client.faults import ConnectionFailed, make_fault
from balcao_client.streams import Event, EventReader
from balcao_client.tokens import TokenSource


class Transport:
    """Sends the calls of a `Balcao`."""

    def __init__(self, http: httpx.Client, base_url: str, source: TokenSource, retries: Retries) -> None:
        self.http = http
        self._base_url = base_url
        self._source = source
        self._retries = retries

    def send(self, base: str, call: Call, result: Any) -> Any:
        """Return the result of a call.

        Raises:
            BalcaoError: of the kind that `balcao_client.faults` lists.
        """
        call.prepare()
        tried, used_up = 0, None
        while True:
            token = self._source.get_token(self.http, self._base_url, used_up)
            outcome = self._try(call.request(self.http, base, token))
            # The session or the key may have ended early: once, a token that was refused is replaced.
            if isinstance(outcome, httpx.Response) and outcome.status_code == 401 and used_up is None and token:
                used_up = token
                if self._source.get_token(self.http, self._base_url, used_up) != token:
                    continue
            wait = next_wait(call, self._retries, tried, outcome)
            if wait is None:
                if isinstance(outcome, httpx.TransportError):
                    raise ConnectionFailed(str(outcome)) from outcome
                return read_response(outcome, result)
            time.sleep(wait)
            tried += 1

    def stream(self, base: str, call: Call) -> Iterator[Event]:
        """Yield the events of a stream until it ends; the caller goes on from the last one's id.

        Raises:
            BalcaoError: as `send` does; `ConnectionFailed` also when the stream breaks off.
        """
        request = call.request(self.http, base, self._source.get_token(self.http, self._base_url))
        request.extensions = {**request.extensions, "timeout": {**request.extensions["timeout"], "read": None}}
        reader = EventReader()
        try:
            response = self.http.send(request, stream=True)
            try:
                if response.is_error:
                    response.read()
                    raise make_fault(response)
                for text in response.iter_text():
                    yield from reader.read(text)
            finally:
                response.close()
        except httpx.TransportError as fault:
            raise ConnectionFailed(str(fault)) from fault

    def _try(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        try:
            return self.http.send(request)
        except httpx.TransportError as fault:
            return fault


class AsyncTransport:
    """Sends the calls of an `AsyncBalcao`."""

    def __init__(self, http: httpx.AsyncClient, base_url: str, source: TokenSource, retries: Retries) -> None:
        self.http = http
        self._base_url = base_url
        self._source = source
        self._retries = retries

    async def send(self, base: str, call: Call, result: Any) -> Any:
        """Return the result of a call.

        Raises:
            BalcaoError: of the kind that `balcao_client.faults` lists.
        """
        call.prepare()
        tried, used_up = 0, None
        while True:
            token = await self._source.get_token_async(self.http, self._base_url, used_up)
            outcome = await self._try(call.request(self.http, base, token))
            # The session or the key may have ended early: once, a token that was refused is replaced.
            if isinstance(outcome, httpx.Response) and outcome.status_code == 401 and used_up is None and token:
                used_up = token
                if await self._source.get_token_async(self.http, self._base_url, used_up) != token:
                    continue
            wait = next_wait(call, self._retries, tried, outcome)
            if wait is None:
                if isinstance(outcome, httpx.TransportError):
                    raise ConnectionFailed(str(outcome)) from outcome
                return read_response(outcome, result)
            await asyncio.sleep(wait)
            tried += 1

    async def stream(self, base: str, call: Call) -> AsyncIterator[Event]:
        """Yield the events of a stream until it ends; the caller goes on from the last one's id.

        Raises:
            BalcaoError: as `send` does; `ConnectionFailed` also when the stream breaks off.
        """
        token = await self._source.get_token_async(self.http, self._base_url)
        request = call.request(self.http, base, token)
        request.extensions = {**request.extensions, "timeout": {**request.extensions["timeout"], "read": None}}
        reader = EventReader()
        try:
            response = await self.http.send(request, stream=True)
            try:
                if response.is_error:
                    await response.aread()
                    raise make_fault(response)
                async for text in response.aiter_text():
                    for event in reader.read(text):
                        yield event
            finally:
                await response.aclose()
        except httpx.TransportError as fault:
            raise ConnectionFailed(str(fault)) from fault

    async def _try(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        try:
            return await self.http.send(request)
        except httpx.TransportError as fault:
            return fault
