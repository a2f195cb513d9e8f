"""Live pages: each process receives changes through one upstream connection and notifies every listening browser.

The upstream is the stream of health unit changes (rules: health_units 4.3), opened with the panel's own client. It only
reports that something has changed. The panel then reads the content with the token of the person who sees the page.
"""

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
import msgspec

from balcao.core.client_credentials import ClientCredentials
from balcao.core.logs import log
from balcao.web.provider import GrantRefused, Provider, ProviderAway

STREAM = "/health-units/unidades/eventos"
# The upstream sends a heartbeat every 15 seconds, so this limit tolerates one missing heartbeat.
SILENT_SECONDS = 35.0
# A session may have at most this many listening windows, because each window reads the board with the person's token
# after every change.
MOST_OF_SESSION = 5
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 15.0
_TIMEOUT = httpx.Timeout(5.0, read=SILENT_SECONDS)


class Feed:
    """This process's upstream connection, which is open only while a browser listens.

    After a failure, a new connection resumes after the last received event.
    """

    def __init__(
        self, http: httpx.AsyncClient, address: str, provider: Provider, client: tuple[str, str] | None
    ) -> None:
        """Set up the feed. `client` is the id and secret of the panel's machine client.

        Without it, there is no upstream.
        """
        self.has_upstream = client is not None
        self._http = http
        self._address = address
        self._token = ClientCredentials(provider.request_token, *(client or ("", "")))
        self._listeners: dict[asyncio.Event, bytes] = {}
        self._listening: asyncio.Task[None] | None = None
        self._heard_at = float("-inf")
        self._last_id = ""

    @property
    def age(self) -> float:
        """Return the seconds since the upstream last sent something.

        Return infinity after a failure, or if the upstream was never open.
        """
        return time.monotonic() - self._heard_at

    @property
    def is_alive(self) -> bool:
        """Return whether the upstream sent something recently. If it did, a lack of events means a lack of changes."""
        return self.age < SILENT_SECONDS

    def has_room(self, session: bytes) -> bool:
        """Return whether the session may open one more listening window."""
        return list(self._listeners.values()).count(session) < MOST_OF_SESSION

    @contextlib.asynccontextmanager
    async def listening(self, session: bytes) -> AsyncIterator[asyncio.Event]:
        """Yield an event that is set whenever something changes, or when the upstream connects or fails."""
        changed = asyncio.Event()
        self._listeners[changed] = session
        if self._listening is None:
            self._listening = asyncio.create_task(self._follow_changes())
        try:
            yield changed
        finally:
            del self._listeners[changed]
            if not self._listeners:
                await self.stop()

    async def stop(self) -> None:
        """Close the upstream connection."""
        hearing, self._listening = self._listening, None
        if hearing is not None:
            hearing.cancel()
            await asyncio.gather(hearing, return_exceptions=True)
        self._heard_at, self._last_id = float("-inf"), ""

    async def _follow_changes(self) -> None:
        pause = FIRST_PAUSE_SECONDS
        while True:
            try:
                await self._listen()
                pause = FIRST_PAUSE_SECONDS  # normal end: the token expired or an hour has passed
            except (httpx.HTTPError, GrantRefused, ProviderAway, msgspec.MsgspecError) as fault:
                log.warning("panel.stream_away", code=type(fault).__name__)
                self._heard_at = float("-inf")
                self._notify()
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)

    async def _listen(self) -> None:
        token = await self._token.get()
        headers: Mapping[str, Any] = {"Authorization": f"Bearer {token.value}", "Accept": "text/event-stream"}
        if self._last_id:
            headers = {**headers, "Last-Event-ID": self._last_id}
        async with self._http.stream("GET", self._address, headers=headers, timeout=_TIMEOUT) as answer:
            if answer.status_code == httpx.codes.UNAUTHORIZED:
                self._token.discard(token)
            answer.raise_for_status()
            self._heard_at = time.monotonic()
            self._notify()
            async for line in answer.aiter_lines():
                self._heard_at = time.monotonic()
                if line.startswith("id:"):
                    self._last_id = line[3:].strip()
                elif line.startswith("data:"):
                    self._notify()

    def _notify(self) -> None:
        for changed in self._listeners:
            changed.set()
