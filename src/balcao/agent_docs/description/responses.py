"""The published bodies on the wire: compressed when the caller asks for it, JSON whatever it accepts besides."""

from typing import Any

from balcao.agent_docs.description.published import EncodedBody
from balcao.core.context.call import Call
from balcao.core.http.responses import PUBLIC, Response, from_bytes

_PLAIN = {"Vary": "Accept-Encoding"}
_ZIPPED = {**_PLAIN, "Content-Encoding": "gzip"}


def respond(body: EncodedBody, call: Call, accept_encoding: str | None) -> Response[Any]:
    """Answer with the encoding that the caller takes, or 304 for the ETag that it has."""
    zipped = accepts_gzip(accept_encoding or "")
    ready = body.zipped if zipped else body.plain
    return from_bytes(ready.body, ready.etag, call, PUBLIC, headers=_ZIPPED if zipped else _PLAIN)


def accepts_gzip(header: str) -> bool:
    """Tell whether `Accept-Encoding` lists gzip, or `*`, with a weight above nothing."""
    weights = dict(_parse_weight(part) for part in header.lower().split(","))
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _parse_weight(part: str) -> tuple[str, float]:
    name, *parameters = (piece.strip() for piece in part.split(";"))
    weight = next((text.removeprefix("q=") for text in parameters if text.startswith("q=")), "1")
    try:
        return name, float(weight)
    except ValueError:
        return name, 0.0
