"""ETags of a state, and the evaluation of conditional requests (RFC 9110, 13.1)."""

import hashlib
from typing import Any

import msgspec

from balcao.core.errors import PreconditionFailed


def etag_of(body: bytes) -> str:
    """Return a strong ETag of the body."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def lists_etag(header: str | None, etag: str) -> bool:
    """Return whether `If-None-Match` lists this tag or is `*`.

    The weak and the strong form of a tag count as equal here.
    """
    if header is None:
        return False
    listed = {tag.removeprefix("W/") for tag in _list_tags(header)}
    return etag.removeprefix("W/") in listed or "*" in listed


def require_match(header: str | None, etag: str) -> None:
    """Raise PreconditionFailed if the caller sent `If-Match` and it does not name this state.

    The comparison is strong (RFC 9110, 13.1.1). A weak tag does not guarantee that nothing has changed, so it never
    permits an overwrite.
    """
    if header is not None and not {etag, "*"} & _list_tags(header):
        raise PreconditionFailed()


def require_state(header: str | None, present: Any | None) -> None:
    """Check `If-Match` as `require_match` does, against the ETag of a stored value that responses contain as JSON.

    If nothing is stored, `present` is None. Then neither a tag nor `*` matches.
    """
    if header is not None:
        if present is None:
            raise PreconditionFailed()
        require_match(header, etag_of(msgspec.json.encode(present)))


def _list_tags(header: str) -> set[str]:
    return {tag.strip() for tag in header.split(",")}
