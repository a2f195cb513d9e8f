"""Sends calls with tokens, and retries them."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import httpx

from balcao_client.calls import FIRST_WAIT, Call, Retries, next_wait, read_response
from balcao_client.faults import ConnectionFailed, UnexpectedResponse, make_fault
from balcao_client.streams import Event, EventReader
from balcao_client.tokens import TokenSource

# After this many seconds of silence, a stream's connection counts as dead. The platform sends a comment every 15
# seconds.
SILENCE = 45.0
Outcome = httpx.Response | httpx.TransportError | None


class _Listening:
    """The state of a stream that survives its connections. This class does no I/O."""

    def __init__(self, call: Call, retries: Retries, *, resumes: bool) -> None:
        self.reader = EventReader(call.headers.get("Last-Event-ID") or "")
        self.used_up: str | None = None
        self._call = call
        self._retries = retries
        self._resumes = resumes
        self._tried = 0

    def request(self, client: httpx.Client | httpx.AsyncClient, base: str, token: str) -> httpx.Request:
        """Return the request for the next connection, which resumes after the last complete event."""
        self.reader.reconnect()
        headers = {**self._call.headers, "Last-Event-ID": self.reader.last_id or None}
        request = replace(self._call, headers=headers).request(client, base, token)
        request.extensions = {**request.extensions, "timeout": {**request.extensions["timeout"], "read": SILENCE}}
        return request

    def read(self, text: str) -> Iterator[Event]:
        """Yield the events that are complete after this text. Received data resets the count of failures."""
        self._tried, self.used_up = 0, None
        return self.reader.read(text)

    def next_wait(self, outcome: Outcome) -> float | None:
        """Return the seconds to wait before the next connection, or None if the stream has ended.

        Raises:
            BalcaoError: the stream ended with an error, or each new connection ends without data.
        """
        again = self._resumes and self._retries.times > 0
        wait = None
        if again:
            wait = next_wait(self._call, self._retries, self._tried, outcome, self.reader.retry or FIRST_WAIT)
        self._tried += 1
        if wait is not None:
            return wait
        if isinstance(outcome, httpx.Response):
            raise make_fault(outcome, self._call.service)
        if isinstance(outcome, httpx.TransportError):
            raise ConnectionFailed(_describe(outcome)) from outcome
        if again:
            raise ConnectionFailed("the stream ends without an event whenever it is opened")
        return None


def _require_stream(response: httpx.Response) -> None:
    kind = response.headers.get("Content-Type", "")
    if not kind.startswith("text/event-stream"):
        raise UnexpectedResponse(f"{response.request.url.path} is no stream: {response.status_code} {kind}")


def _describe(fault: httpx.TransportError) -> str:
    return str(fault) or type(fault).__name__


class Transport:
    """The sender of a `Balcao`'s calls."""

    def __init__(self, http: httpx.Client, base_url: str, source: TokenSource, retries: Retries) -> None:
        self.http = http
        self._base_url = base_url
        self._source = source
        self._retries = retries

    def send(self, base: str, call: Call, result: Any) -> Any:
        """Return the result of a call.

        Raises:
            BalcaoError: one of the exceptions in `balcao_client.faults`.
        """
        call.prepare()
        tried, used_up = 0, None
        while True:
            token = self._source.get_token(self.http, self._base_url, used_up)
            outcome = self._try(call.request(self.http, base, token))
            # The session or the signing key may have ended early, so renew a refused token once.
            if isinstance(outcome, httpx.Response) and outcome.status_code == 401 and used_up is None and token:
                used_up = token
                if self._source.get_token(self.http, self._base_url, used_up) != token:
                    continue
            wait = next_wait(call, self._retries, tried, outcome)
            if wait is None:
                if isinstance(outcome, httpx.TransportError):
                    raise ConnectionFailed(_describe(outcome)) from outcome
                return read_response(outcome, result, call.service)
            time.sleep(wait)
            tried += 1

    def stream(self, base: str, call: Call, *, resumes: bool) -> Iterator[Event]:
        """Yield the events of a stream, over as many connections as necessary.

        If a connection ends, breaks or falls silent, a new one continues after the last event, as long as the platform
        answers. A stream that does not resume ends with its connection.

        Raises:
            BalcaoError: as `send` does, once the retries are used up.
        """
        listening = _Listening(call, self._retries, resumes=resumes)
        while True:
            token = self._source.get_token(self.http, self._base_url, listening.used_up)
            outcome: Outcome = None
            try:
                response = self.http.send(listening.request(self.http, base, token), stream=True)
                try:
                    if response.is_error:
                        response.read()
                        outcome = response
                    else:
                        _require_stream(response)
                        for text in response.iter_text():
                            yield from listening.read(text)
                finally:
                    response.close()
            except httpx.TransportError as fault:
                outcome = fault
            if (
                isinstance(outcome, httpx.Response)
                and outcome.status_code == 401
                and listening.used_up is None
                and token
            ):
                listening.used_up = token
                if self._source.get_token(self.http, self._base_url, token) != token:
                    continue
            wait = listening.next_wait(outcome)
            if wait is None:
                return
            time.sleep(wait)

    def _try(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        try:
            return self.http.send(request)
        except httpx.TransportError as fault:
            return fault


class AsyncTransport:
    """The sender of an `AsyncBalcao`'s calls."""

    def __init__(self, http: httpx.AsyncClient, base_url: str, source: TokenSource, retries: Retries) -> None:
        self.http = http
        self._base_url = base_url
        self._source = source
        self._retries = retries

    async def send(self, base: str, call: Call, result: Any) -> Any:
        """Return the result of a call.

        Raises:
            BalcaoError: one of the exceptions in `balcao_client.faults`.
        """
        call.prepare()
        tried, used_up = 0, None
        while True:
            token = await self._source.get_token_async(self.http, self._base_url, used_up)
            outcome = await self._try(call.request(self.http, base, token))
            # The session or the signing key may have ended early, so renew a refused token once.
            if isinstance(outcome, httpx.Response) and outcome.status_code == 401 and used_up is None and token:
                used_up = token
                if await self._source.get_token_async(self.http, self._base_url, used_up) != token:
                    continue
            wait = next_wait(call, self._retries, tried, outcome)
            if wait is None:
                if isinstance(outcome, httpx.TransportError):
                    raise ConnectionFailed(_describe(outcome)) from outcome
                return read_response(outcome, result, call.service)
            await asyncio.sleep(wait)
            tried += 1

    async def stream(self, base: str, call: Call, *, resumes: bool) -> AsyncIterator[Event]:
        """Yield the events of a stream, over as many connections as necessary.

        If a connection ends, breaks or falls silent, a new one continues after the last event, as long as the platform
        answers. A stream that does not resume ends with its connection.

        Raises:
            BalcaoError: as `send` does, once the retries are used up.
        """
        listening = _Listening(call, self._retries, resumes=resumes)
        while True:
            token = await self._source.get_token_async(self.http, self._base_url, listening.used_up)
            outcome: Outcome = None
            try:
                response = await self.http.send(listening.request(self.http, base, token), stream=True)
                try:
                    if response.is_error:
                        await response.aread()
                        outcome = response
                    else:
                        _require_stream(response)
                        async for text in response.aiter_text():
                            for event in listening.read(text):
                                yield event
                finally:
                    await response.aclose()
            except httpx.TransportError as fault:
                outcome = fault
            if (
                isinstance(outcome, httpx.Response)
                and outcome.status_code == 401
                and listening.used_up is None
                and token
            ):
                listening.used_up = token
                if await self._source.get_token_async(self.http, self._base_url, token) != token:
                    continue
            wait = listening.next_wait(outcome)
            if wait is None:
                return
            await asyncio.sleep(wait)

    async def _try(self, request: httpx.Request) -> httpx.Response | httpx.TransportError:
        try:
            return await self.http.send(request)
        except httpx.TransportError as fault:
            return fault
