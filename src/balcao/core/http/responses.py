"""Responses: a body as bytes, and the headers that say who may store it and for how long."""

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
# A list that is the same for everybody.
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
    """Return the name of a header, which is one of the few that our code has, as it is sent."""
    return name.lower().encode()


class Response(Generic[T]):
    """What goes out; `T` is the type that the body describes, `status` None stands for the operation's own.

    One response may be sent many times and at the same time: nothing is changed once the constructor is done. But one
    with `chunks`, whose body is made while it is sent, is sent once. `lines` is the server's to keep: the headers as
    they go over the wire.
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
        """`cookies` are values of `Set-Cookie`; `chunks` take the place of `body`."""
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

    def adding(self, headers: Mapping[str, str] | None = None, cookies: tuple[str, ...] = ()) -> "Response[T]":
        """Return the same response with further headers and cookies."""
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
    """Send the caller on to another address."""
    return Response(status=status, headers={"Location": address}, cookies=cookies)


def personal(value: T, call: Call) -> Response[T]:
    """Return a person's own data: stored by nobody, with a strong ETag for conditional calls."""
    return with_etag(value, call, PERSONAL)


def with_etag(value: T, call: Call, cache_control: str) -> Response[T]:
    """Return 200 with a strong ETag of the body, or 304 when `If-None-Match` names it."""
    body = msgspec.json.encode(value)
    return from_bytes(body, etag_of(body), call, cache_control)


@sending(ETAG)
def stored(value: T, *, status: int | None = None) -> Response[T]:
    """Return what a write left behind, with the ETag of the new state."""
    body = msgspec.json.encode(value)
    return Response(body, status=status, headers={"ETag": etag_of(body), "Cache-Control": PERSONAL})


@sending(CONTENT_DISPOSITION)
def streamed_attachment(chunks: AsyncGenerator[bytes, None], name: str, media_type: str) -> Response[Any]:
    """Return a file of any size, sent while it is made; nobody on the way stores it."""
    headers = {"Cache-Control": PERSONAL, CONTENT_DISPOSITION.name: f'attachment; filename="{name}"'}
    return Response(chunks=chunks, headers=headers, media_type=media_type)


def streamed(chunks: AsyncGenerator[bytes, None]) -> Response[Any]:
    """Return people's data too long to be held whole, as JSON that is made while it is sent."""
    return Response(chunks=chunks, headers={"Cache-Control": PERSONAL})


def stream_events(chunks: AsyncGenerator[bytes, None]) -> Response[Any]:
    """Return server-sent events; a proxy on the way is asked to pass each on at once."""
    headers = {"Cache-Control": NO_STORE, "X-Accel-Buffering": "no"}
    return Response(chunks=chunks, headers=headers, media_type=EVENTS)


@sending(CONTENT_DISPOSITION)
def attachment(body: bytes, name: str) -> Response[Any]:
    """Return a file of a person's data, to be stored by them and by nobody on the way."""
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
    """Return 200 or 304 as `with_etag` does, for a body that was serialised before; `headers` are further ones."""
    all_headers = {"ETag": etag, "Cache-Control": cache_control, **(headers or {})}
    if lists_etag(call.if_none_match, etag):
        return Response(status=NOT_MODIFIED, headers=all_headers)
    return Response(body, headers=all_headers, media_type=media_type)


# What a handler returns that has most of its responses in memory: those it does not need to wait for.
Soon: TypeAlias = Response[T] | Awaitable[Response[T]]


def from_ready(ready: Ready, call: Call, cache_control: str) -> Response[Any]:
    """Return the ready response, or 304 when `If-None-Match` names it."""
    if call.if_none_match is None:
        return _respond_ready(ready, cache_control)
    return from_bytes(ready.body, ready.etag, call, cache_control)


def _respond_ready(ready: Ready, cache_control: str) -> Response[Any]:
    """Return the 200 with this body, the same object every time."""
    made: Response[Any] | None = ready.responses.get(cache_control)
    if made is None:
        headers = {"ETag": ready.etag, "Cache-Control": cache_control}
        made = ready.responses[cache_control] = Response(ready.body, headers=headers)
    return made
