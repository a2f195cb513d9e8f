"""Ready answers: serialised once, with the headers that say who may keep them and for how long."""

import hashlib
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import msgspec
from litestar import Response

from balcao.core.context.call import Call
from balcao.core.errors import PreconditionFailed

T = TypeVar("T")

PERSONAL = "no-store, private"
# A list that is the same for everybody.
PUBLIC = "public, max-age=300"
JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Ready:
    """A body kept as bytes, and its strong ETag."""

    body: bytes
    etag: str

    @classmethod
    def of(cls, value: Any) -> Self:
        body = msgspec.json.encode(value)
        return cls(body, etag_of(body))


def personal(value: T, call: Call) -> Response[T]:
    """A person's own data: never kept by anybody, with a strong ETag for conditional calls."""
    return with_etag(value, call, PERSONAL)


def with_etag(value: T, call: Call, cache_control: str) -> Response[T]:
    """200 with a strong ETag of the body, or 304 when `If-None-Match` names it."""
    body = msgspec.json.encode(value)
    return from_bytes(body, etag_of(body), call, cache_control)


def stored(value: T) -> Response[T]:
    """What a write left behind, with the ETag of the new state."""
    body = msgspec.json.encode(value)
    headers = {"ETag": etag_of(body), "Cache-Control": PERSONAL}
    return Response(body, headers=headers, media_type=JSON)  # type: ignore[arg-type]


def attachment(body: bytes, name: str) -> Response[Any]:
    """A file of a person's data, to be kept by them and by nobody on the way."""
    headers = {"Cache-Control": PERSONAL, "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(body, headers=headers, media_type=JSON)


def created(body: bytes) -> Response[Any]:
    """201 with what `idempotency.once` answered."""
    return Response(body, status_code=201, headers={"Cache-Control": PERSONAL}, media_type=JSON)


def from_bytes(body: bytes, etag: str, call: Call, cache_control: str) -> Response[T]:
    """As `with_etag`, for a body that was made before."""
    headers = {"ETag": etag, "Cache-Control": cache_control}
    if names(call.if_none_match, etag):
        return Response(b"", status_code=304, headers=headers, media_type=JSON)  # type: ignore[arg-type]
    return Response(body, headers=headers, media_type=JSON)  # type: ignore[arg-type]


def from_ready(ready: Ready, call: Call, cache_control: str) -> Response[T]:
    return from_bytes(ready.body, ready.etag, call, cache_control)


def etag_of(body: bytes) -> str:
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def names(header: str | None, etag: str) -> bool:
    """Whether a conditional header lists this tag or is `*`; a weak form of a strong tag counts as the same."""
    listed = {tag.strip().removeprefix("W/") for tag in (header or "").split(",")}
    return etag in listed or "*" in listed


def require_match(header: str | None, etag: str) -> None:
    """Raises PreconditionFailed when `If-Match` was sent and names another state."""
    if header is not None and not names(header, etag):
        raise PreconditionFailed()
