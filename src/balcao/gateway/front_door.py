"""The ASGI application in front of all services of a process.

The services check token and rule themselves, with the code an external gateway's check endpoint uses; in one
process there is no hop between, so the check is made once (ADR 0002).
"""

import re
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import AbstractAsyncContextManager
from typing import Any

from balcao.core.access.check import OPERATION
from balcao.core.errors import NotFound
from balcao.core.http.dialects import ERROR_TEXT, Dialect
from balcao.core.http.pages import PREFIX
from balcao.core.logs import log, request_id
from balcao.core.telemetry import meter
from balcao.core.values.ids import new_id

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Any, Any, Any], Awaitable[None]]

# Ids that callers send are taken over only in a form that cannot be a CPF or a phone number.
_REQUEST_ID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
# A path with one of these is never read in two ways: it is no path of ours.
_AMBIGUOUS = re.compile(rb"//|/\.{1,2}(?:/|$)|\\|%(?:2[fF]|5[cC]|2[eE])|%(?![0-9a-fA-F]{2})")


# Always the gateway's: no service has such an operation.
METRICS = "/metrics"


class Mount:
    """A service's application under its prefix."""

    def __init__(self, name: str, prefix: str, app: App, dialect: Callable[[str], Dialect], base: str = "") -> None:
        self.name = name
        self.prefix = prefix
        self.app = app
        self.dialect = dialect
        self.base = base


class FrontDoor:
    """Dispatches by the first segment of the path; `alone` also answers without prefix, `pages` all the rest."""

    def __init__(
        self,
        mounts: list[Mount],
        pages: App,
        lifespan: Callable[[], AbstractAsyncContextManager[None]],
        alone: Mount | None = None,
    ) -> None:
        self._mounts: Mapping[str, Mount] = {mount.prefix.split("/")[1]: mount for mount in mounts}
        self._others = Mount("gateway", "", pages, lambda _: ERROR_TEXT)
        self._alone = alone
        self._lifespan = lifespan

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await self._serve(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = _request_id(scope)
        token = request_id.set(request)
        mount = self._mount(scope["path"])
        started, status = time.perf_counter(), 500
        inner = _scope_for(mount, scope)

        async def answer(message: MutableMapping[str, Any]) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request.encode())]
            await send(message)

        try:
            app = _refuse(mount) if _AMBIGUOUS.search(scope.get("raw_path") or b"") else mount.app
            await app(inner, receive, answer)
        finally:
            elapsed = time.perf_counter() - started
            operation = inner.get(OPERATION, "")
            meter(mount.name, operation, scope["method"]).count(status, elapsed)
            log.info(
                "request",
                service=mount.name,
                operation=operation,
                method=scope["method"],
                status=status,
                ms=round(elapsed * 1000, 2),
            )
            request_id.reset(token)

    def _mount(self, path: str) -> Mount:
        found = self._mounts.get(path.split("/", 2)[1] if "/" in path else "")
        if found is None and self._alone is not None and path != METRICS and path.startswith(self._alone.base + "/"):
            return self._alone
        return found or self._others

    async def _live(self, receive: Receive, send: Send) -> None:
        """Opens the platform before the server listens; a failed start is told to the server and logged there."""
        await receive()
        try:
            async with self._lifespan():
                await send({"type": "lifespan.startup.complete"})
                await receive()
        except Exception as failure:
            await send({"type": "lifespan.startup.failed", "message": str(failure)})
            raise
        await send({"type": "lifespan.shutdown.complete"})


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id" and _REQUEST_ID.fullmatch(sent := value.decode("latin-1")):
            return str(sent)
    return new_id()


def _scope_for(mount: Mount, scope: Scope) -> Scope:
    """What the service sees: its own path; HEAD as GET, whose body the server then leaves out."""
    path = scope["path"]
    inner = {**scope, "raw_path": b""}
    if _under(mount, path):
        inner |= {"path": path.removeprefix(mount.prefix) or "/", PREFIX: mount.prefix}
    if scope["method"] == "HEAD":
        inner["method"] = "GET"
    return inner


def _under(mount: Mount, path: str) -> bool:
    return bool(mount.prefix) and (path == mount.prefix or path.startswith(mount.prefix + "/"))


def _refuse(mount: Mount) -> App:
    async def refused(scope: Scope, receive: Receive, send: Send) -> None:
        response = mount.dialect(scope["path"]).response(NotFound())
        await response.to_asgi_response(None, None)(scope, receive, send)  # type: ignore[arg-type]

    return refused
