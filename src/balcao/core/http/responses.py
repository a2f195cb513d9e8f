"""Responses: a body as bytes, and headers that control which caches may store the response and for how long."""

from collections.abc import AsyncGenerator, Awaitable, Mapping
from functools import cache
from typing import Any, Generic, TypeAlias, TypeVar

import msgspec

from balcao.core.context.call import Call
from balcao.core.http.sent_headers import CONTENT_DISPOSITION, ETAG, sending
from balcao.core.values.etags import etag_of, lists_etag
from balcao.core.values.ready import Ready

T = TypeVar("T")

NO_STORE = "no-store"
PERSONAL = "no-store, private"
# The `Cache-Control` of a list that is the same for all callers.
PUBLIC = "public, max-age=300"
JSON = "application/json"
HTML = "text/html; charset=utf-8"
EVENTS = "text/event-stream"
TEXT = "text/plain; charset=utf-8"
NO_CONTENT, MOVED, NOT_MODIFIED = 204, 301, 304
_WITHOUT_BODY = frozenset({NO_CONTENT, NOT_MODIFIED})

RawHeaders = list[tuple[bytes, bytes]]


@cache
def _encode_name(name: str) -> bytes:
    """Return a header's name as it is sent. The cache stays small because our code uses few names."""
    return name.lower().encode()


class Response(Generic[T]):
    """A response. `T` is the type of the body. A `status` of None means the operation's own status.

    The server may send one response many times, even concurrently, so it never changes after the constructor. A
    response with `chunks` can be sent only once, because its body is produced while it is sent. The server uses `lines`
    to cache the headers in wire format.
    """

    __slots__ = ("body", "chunks", "cookies", "headers", "lines", "media_type", "raw_headers", "status")

    def __init__(
        self,
        body: bytes = b"",
        *,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        media_type: str = JSON,
        cookies: tuple[str, ...] = (),
        chunks: AsyncGenerator[bytes, None] | None = None,
    ) -> None:
        """Each of `cookies` is a value of `Set-Cookie`. `chunks` replace `body`."""
        self.body = body
        self.chunks = chunks
        self.status = status
        self.headers = headers or {}
        self.media_type = media_type
        self.cookies = cookies
        raw = [(_encode_name(name), value.encode("latin-1")) for name, value in self.headers.items()]
        raw += [(b"set-cookie", cookie.encode("latin-1")) for cookie in cookies]
        if status not in _WITHOUT_BODY:
            if body or chunks or media_type != JSON:
                raw.append((b"content-type", media_type.encode()))
            if chunks is None:
                raw.append((b"content-length", b"%d" % len(body)))
        self.raw_headers: RawHeaders = raw
        self.lines: bytes | None = None

    def with_added(self, headers: Mapping[str, str] | None = None, cookies: tuple[str, ...] = ()) -> "Response[T]":
        """Return a copy of the response with additional headers and cookies."""
        return Response(
            self.body,
            status=self.status,
            headers={**self.headers, **(headers or {})},
            media_type=self.media_type,
            cookies=(*self.cookies, *cookies),
            chunks=self.chunks,
        )


def to_json(value: T, *, status: int | None = None, headers: Mapping[str, str] | None = None) -> Response[T]:
    """Return the value as JSON."""
    return Response(msgspec.json.encode(value), status=status, headers=headers)


def redirect(address: str, status: int = 302, *, cookies: tuple[str, ...] = ()) -> Response[None]:
    """Redirect the caller to another address."""
    return Response(status=status, headers={"Location": address}, cookies=cookies)


def personal(value: T, call: Call) -> Response[T]:
    """Return a person's own data. Caches must not store them; a strong ETag allows conditional calls."""
    return with_etag(value, call, PERSONAL)


def with_etag(value: T, call: Call, cache_control: str) -> Response[T]:
    """Return 200 with a strong ETag for the body, or 304 if `If-None-Match` lists that ETag."""
    body = msgspec.json.encode(value)
    return from_bytes(body, etag_of(body), call, cache_control)


@sending(ETAG)
def stored(value: T, *, status: int | None = None) -> Response[T]:
    """Return the state of a record after a write, with its ETag."""
    body = msgspec.json.encode(value)
    return Response(body, status=status, headers={"ETag": etag_of(body), "Cache-Control": PERSONAL})


@sending(CONTENT_DISPOSITION)
def streamed_attachment(chunks: AsyncGenerator[bytes, None], name: str, media_type: str) -> Response[Any]:
    """Return a file of any size, streamed while it is produced. Caches must not store it."""
    headers = {"Cache-Control": PERSONAL, CONTENT_DISPOSITION.name: f'attachment; filename="{name}"'}
    return Response(chunks=chunks, headers=headers, media_type=media_type)


def streamed(chunks: AsyncGenerator[bytes, None]) -> Response[Any]:
    """Return people's data as JSON. They are streamed, because they are too large to hold in memory."""
    return Response(chunks=chunks, headers={"Cache-Control": PERSONAL})


def stream_events(chunks: AsyncGenerator[bytes, None]) -> Response[Any]:
    """Return server-sent events. A header tells proxies not to buffer them."""
    headers = {"Cache-Control": NO_STORE, "X-Accel-Buffering": "no"}
    return Response(chunks=chunks, headers=headers, media_type=EVENTS)


@sending(CONTENT_DISPOSITION)
def attachment(body: bytes, name: str) -> Response[Any]:
    """Return a file with a person's data as a download. Caches must not store it."""
    headers = {"Cache-Control": PERSONAL, CONTENT_DISPOSITION.name: f'attachment; filename="{name}"'}
    return Response(body, headers=headers)


def created(body: bytes) -> Response[Any]:
    """Return 201 with the body that `idempotency.run_once` returned."""
    return Response(body, status=201, headers={"Cache-Control": PERSONAL})


def from_bytes(
    body: bytes,
    etag: str,
    call: Call,
    cache_control: str,
    *,
    media_type: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Response[Any]:
    """Return 200 or 304, as `with_etag` does, for a body that is already encoded and has this ETag."""
    all_headers = {"ETag": etag, "Cache-Control": cache_control, **(headers or {})}
    if lists_etag(call.if_none_match, etag):
        return Response(status=NOT_MODIFIED, headers=all_headers)
    return Response(body, headers=all_headers, media_type=media_type)


# The result of a handler that answers most calls from memory: the response, or an awaitable if it has to wait.
Soon: TypeAlias = Response[T] | Awaitable[Response[T]]


def from_ready(ready: Ready, call: Call, cache_control: str) -> Response[Any]:
    """Return the prepared response, or 304 if `If-None-Match` lists its ETag."""
    if call.if_none_match is None:
        return _respond_ready(ready, cache_control)
    return from_bytes(ready.body, ready.etag, call, cache_control)


def _respond_ready(ready: Ready, cache_control: str) -> Response[Any]:
    """Return a 200 with this body. Every call with the same `cache_control` returns the same object."""
    made: Response[Any] | None = ready.responses.get(cache_control)
    if made is None:
        headers = {"ETag": ready.etag, "Cache-Control": cache_control}
        made = ready.responses[cache_control] = Response(ready.body, headers=headers)
    return made
