"""Constant response bodies, sent in an encoding that the caller accepts."""

import gzip
from dataclasses import dataclass
from typing import Any

from balcao.core.context.call import Call
from balcao.core.http.responses import JSON, PUBLIC, Response, from_bytes
from balcao.core.values.etags import etag_of
from balcao.core.values.ready import Ready

# No browser or library sends a longer `Accept-Encoding`. A longer one is ignored, because parsing it takes too long.
_LONGEST_ACCEPTED = 1_000
_PLAIN = {"Vary": "Accept-Encoding"}
_ZIPPED = {**_PLAIN, "Content-Encoding": "gzip"}


@dataclass(frozen=True)
class EncodedBody:
    """A body in two forms, plain and compressed with gzip. Each form has its own strong ETag."""

    plain: Ready
    zipped: Ready

    @classmethod
    def of(cls, body: bytes) -> "EncodedBody":
        """Encode a body.

        The gzip header contains no time, so the bytes, and the ETag, are the same after each restart.
        """
        zipped = gzip.compress(body, mtime=0)
        return cls(Ready(body, etag_of(body)), Ready(zipped, etag_of(zipped)))

    def respond(self, call: Call, cache_control: str = PUBLIC, media_type: str = JSON) -> Response[Any]:
        """Return the body in a form that the caller accepts, or 304 if the caller sent the ETag of that form."""
        is_zipped = accepts_gzip(call.headers.text(b"accept-encoding") or "")
        ready = self.zipped if is_zipped else self.plain
        headers = _ZIPPED if is_zipped else _PLAIN
        return from_bytes(ready.body, ready.etag, call, cache_control, media_type=media_type, headers=headers)


def accepts_gzip(header: str) -> bool:
    """Return whether `Accept-Encoding` lists gzip, or `*`, with a weight above zero."""
    if len(header) > _LONGEST_ACCEPTED:
        return False
    weights = dict(_parse_weight(part) for part in header.lower().split(","))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _parse_weight(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip() for piece in part.split(";"))
    weight = next((text.removeprefix("q=") for text in parameters if text.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 0.0
