"""The pictures of the built-in avatars, sent so that they can do nothing but be looked at."""

import functools
from importlib.resources import files

from balcao.core.context.call import Call
from balcao.core.http.responses import Response, etag_of, from_bytes

SVG = "image/svg+xml"
CACHE = "public, max-age=86400"
# Also when somebody opens the picture as a page.
INERT = {"Content-Security-Policy": "default-src 'none'; sandbox", "X-Content-Type-Options": "nosniff"}


def respond_picture(image: str, call: Call) -> Response[bytes]:
    """Respond with the built-in picture of this name."""
    body, etag = _read_figure(image)
    return from_bytes(body, etag, call, CACHE, media_type=SVG, headers=INERT)


@functools.cache
def _read_figure(image: str) -> tuple[bytes, str]:
    body = (files("balcao.registry.person.avatars") / "images" / f"{image}.svg").read_bytes()
    return body, etag_of(body)
