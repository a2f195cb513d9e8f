"""The pictures of the built-in avatars, with headers that prevent them from running scripts.

`python -m tools.avatars` draws the PNG files from the SVG files. PNG is the default, because portals' image proxies
reject SVG, which may contain a script.
"""

import base64
import functools
from importlib.resources import files

from balcao.core.context.call import Call
from balcao.core.http.responses import Response, from_bytes
from balcao.core.values.etags import etag_of

PNG = "image/png"
SVG = "image/svg+xml"
_FOLDER = files("balcao.registry.person.avatars") / "images"
_SUFFIXES = {PNG: "png", SVG: "svg"}
_HEADERS = {
    "Cache-Control": "public, max-age=86400",
    # The format depends on `Accept`, so a cache must store one response for each value.
    "Vary": "Accept",
    # This header protects a user who opens the picture's address directly.
    "Content-Security-Policy": "default-src 'none'; sandbox",
}


def respond_picture(image: str, call: Call) -> Response[bytes]:
    """Respond with the built-in picture that has this name: PNG, or SVG if `Accept` names SVG explicitly."""
    media_type = SVG if _names_svg(call.headers.text(b"accept") or "") else PNG
    body, etag = _read_picture(image, media_type)
    return from_bytes(body, etag, call, _HEADERS["Cache-Control"], media_type=media_type, headers=_HEADERS)


@functools.cache
def embed_picture(image: str) -> str:
    """Return the built-in picture that has this name as a `data:` URL.

    The URL contains the SVG, which is a tenth of the size of the PNG. Image proxies do not fetch `data:` URLs, so they
    cannot reject the SVG.
    """
    body, _ = _read_picture(image, SVG)
    return f"data:{SVG};base64,{base64.b64encode(body).decode()}"


def _names_svg(accept: str) -> bool:
    """Return whether the header names SVG explicitly with a weight above 0. `image/*` and `*/*` do not count."""
    for item in accept.lower().split(","):
        media_type, *parameters = (part.strip() for part in item.split(";"))
        if media_type == SVG:
            weights = [part.removeprefix("q=") for part in parameters if part.startswith("q=")]
            return not weights or weights[0].strip("0.") != ""
    return False


@functools.cache
def _read_picture(image: str, media_type: str) -> tuple[bytes, str]:
    body = (_FOLDER / f"{image}.{_SUFFIXES[media_type]}").read_bytes()
    return body, etag_of(body)
