"""A surface: a set of pages with a login, such as the panel, and the resources that a process holds for it."""

from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from datetime import timedelta
from typing import Generic, NamedTuple, TypeVar
from urllib.parse import urlsplit

import httpx
from jinja2 import Environment

from balcao.core.access.refusals import Refusals
from balcao.core.database.pool import Database
from balcao.core.errors import BalcaoError
from balcao.core.logs import log
from balcao.core.repeating import repeating
from balcao.core.tracing import make_http_client
from balcao.web import guard
from balcao.web.api import Api
from balcao.web.background import Background
from balcao.web.declaration import SessionPage
from balcao.web.page_limiter import PageLimiter
from balcao.web.provider import Provider
from balcao.web.sealing import Sealer
from balcao.web.sessions.service import RETENTION_PERIOD, Sessions

_SWEEP_SECONDS = 600.0
_CALLS_AT_ONCE = httpx.Limits(max_connections=200, max_keepalive_connections=50)


PageT = TypeVar("PageT", bound=SessionPage)


class Client(NamedTuple):
    """A surface's confidential client at the identity provider."""

    issuer: str
    key: str
    secret: str


class Surface(Generic[PageT]):
    """The resources of a surface, which are open while the process serves.

    `name` appears in log events, and is the schema in which sessions are stored. `cookie` is the name of the session
    cookie. People reach the pages at `address`, under `prefix`. `refusals` counts requests that have no session. `keys`
    encrypt sessions: the first key encrypts, and every key decrypts. Each subclass sets `environment`, which renders
    its templates.
    """

    environment: Environment

    def __init__(
        self,
        name: str,
        pages: Iterable[PageT],
        *,
        prefix: str,
        cookie: str,
        address: str,
        api_url: str,
        client: Client,
        keys: Sequence[str],
        database: Database,
        refusals: Refusals,
        traces_url: str,
        idle: timedelta,
        longest: timedelta,
        drafts_kept: timedelta = RETENTION_PERIOD,
    ) -> None:
        self.name = name
        self.pages = {(page.name, page.method): page for page in pages}
        self.prefix = prefix
        self.cookie = cookie
        self.address = address
        self.api_url = api_url
        self.refusals = refusals
        self.database = database
        self.is_secure = address.startswith("https://")
        self.headers = guard.make_headers(client.issuer, is_secure=self.is_secure)
        self.http = make_http_client(traces_url, limits=_CALLS_AT_ONCE, follow_redirects=False)
        self.sealer = Sealer(keys)
        self.provider = Provider(client.issuer, client.key, client.secret, self.http)
        self.sessions = Sessions(
            database, name, self.sealer, self.provider, idle=idle, longest=longest, drafts_kept=drafts_kept
        )
        self.background = Background()
        self.page_limiter = PageLimiter()

    def find_page(self, name: str, method: str = "") -> PageT:
        """Return the page with this name and method.

        Without a method, return the GET page if there is one. Raises KeyError if there is no such page.
        """
        if method:
            return self.pages[name, method]
        return self.pages.get((name, "GET")) or self.pages[name, "POST"]

    def has_page(self, name: str, method: str) -> bool:
        """Return whether a page with this name and method exists."""
        return (name, method) in self.pages

    @property
    def origin(self) -> str:
        """Return the origin that browsers send with this surface's forms."""
        parts = urlsplit(self.address)
        return f"{parts.scheme}://{parts.netloc}"

    def call_as(self, token: str, request_id: str, peer: str) -> Api:
        """Return a client for the services that uses this access token.

        `peer` is the address of the person's browser.
        """
        return Api(self.http, self.api_url, token, request_id, peer)

    def name_cookie(self, name: str) -> str:
        """Return the full name of a cookie.

        With TLS, the prefix `__Host-` makes browsers send the cookie only to this host. Without TLS, on a developer's
        machine, browsers reject this prefix. The name then contains the port instead, so that several platforms on one
        machine have different cookies.
        """
        if self.is_secure:
            return f"__Host-{name}"
        return f"{name}-{urlsplit(self.address).port or 80}"

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Hold the resources open while the process serves. The database must already be open."""
        self.provider.start()
        try:
            async with repeating(self._delete_old_sessions, _SWEEP_SECONDS):
                yield
        finally:
            await self.background.stop()
            self.provider.stop()
            await self.http.aclose()
            await self.database.close()

    async def _delete_old_sessions(self) -> None:
        try:
            await self.sessions.delete_old()
        except BalcaoError as fault:  # the next iteration tries again
            log.warning(f"{self.name}.not_swept", code=fault.code)
