"""ETags of a state, and what a conditional request says of it (RFC 9110, 13.1)."""

import hashlib
from typing import Any

import msgspec

from balcao.core.errors import PreconditionFailed


def etag_of(body: bytes) -> str:
    """Return a strong ETag of the body."""
    return f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def lists_etag(header: str | None, etag: str) -> bool:
    """Return whether `If-None-Match` lists this tag or is `*`; weak and strong form of a tag count as the same."""
    if header is None:
        return False
    listed = {tag.removeprefix("W/") for tag in _list_tags(header)}
    return etag.removeprefix("W/") in listed or "*" in listed


def require_match(header: str | None, etag: str) -> None:
    """Raise PreconditionFailed when `If-Match` was sent and names another state.

    The comparison is strong (RFC 9110, 13.1.1): a weak tag does not say that nothing at all has changed, and names no
    state that may be written over.
    """
    if header is not None and not {etag, "*"} & _list_tags(header):
        raise PreconditionFailed()


def require_state(header: str | None, present: Any | None) -> None:
    """Raise PreconditionFailed as `require_match`, of what is stored and shown as JSON.

    Where nothing is stored, `present` is None, and no tag names that, nor does `*`.
    """
    if header is not None:
        if present is None:
            raise PreconditionFailed()
        require_match(header, etag_of(msgspec.json.encode(present)))


def _list_tags(header: str) -> set[str]:
    return {tag.strip() for tag in header.split(",")}
