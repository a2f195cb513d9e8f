"""Static files for pages. Their served names contain a hash of the content, so that browsers can cache them forever."""

import functools
import gzip
import hashlib
import re
from collections.abc import Mapping
from importlib.resources.abc import Traversable
from typing import NamedTuple

from balcao.core.errors import NotFound
from balcao.core.http.encoded_bodies import accepts_gzip
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response

_MEDIA_TYPES = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml; charset=utf-8",
}
_IMMUTABLE = "public, max-age=31536000, immutable"


class _Asset(NamedTuple):
    plain: bytes
    packed: bytes
    media_type: str


# Remove comments and indentation, which only developers need. Licence comments (`/*! ... */`) are not removed.
_LAYOUT = {
    "css": re.compile(rb"/\*(?!!)(?s:.*?)\*/\s*|^[ \t]+", re.MULTILINE),
    "js": re.compile(rb"^[ \t]*//.*\n|^[ \t]+", re.MULTILINE),
}


# A reference in a style sheet to a file in the same folder.
_REFERENCE = re.compile(rb"\burl\(([\w.-]+)\)")


class Assets:
    """Serves the files in a folder under `prefix`. Files of unknown types are ignored.

    `replaced` contains content that replaces some of the files. A style sheet may refer to other files in the folder by
    `url(name)`.
    """

    def __init__(self, folder: Traversable, prefix: str, replaced: Mapping[str, bytes] | None = None) -> None:
        self._prefix = prefix
        self._by_name: dict[str, _Asset] = {}
        self._names: dict[str, str] = {}
        # Process style sheets last, because they contain the hashed names of other files.
        for file in sorted(folder.iterdir(), key=lambda file: file.name.endswith(".css")):
            stem, _, kind = file.name.rpartition(".")
            if kind in _MEDIA_TYPES:
                body = (replaced or {}).get(file.name) or file.read_bytes()
                if kind in _LAYOUT:
                    body = _LAYOUT[kind].sub(b"", body)
                if kind == "css":
                    body = _REFERENCE.sub(self._rename_reference, body)
                name = f"{stem}.{hashlib.sha256(body).hexdigest()[:12]}.{kind}"
                self._names[file.name] = name
                self._by_name[name] = _Asset(body, gzip.compress(body, mtime=0), _MEDIA_TYPES[kind])

    def _rename_reference(self, found: "re.Match[bytes]") -> bytes:
        name = found[1].decode()
        return b"url(%s)" % self._names.get(name, name).encode()

    def address(self, name: str) -> str:
        """Return the address of a file in the folder. Raises KeyError if there is no such file."""
        return f"{self._prefix}/{self._names[name]}"

    def respond(self, request: Request) -> Response[bytes]:
        """Return the file named by the last path segment, compressed if the caller accepts gzip.

        Raises NotFound if there is no such file.
        """
        asset = self._by_name.get(request.path_values[-1])
        if asset is None:
            raise NotFound()
        return _respond(asset, packed=accepts_gzip(request.headers.text(b"accept-encoding") or ""))


@functools.cache
def _respond(asset: _Asset, *, packed: bool) -> Response[bytes]:
    headers = {"Cache-Control": _IMMUTABLE, "Vary": "Accept-Encoding"} | (
        {"Content-Encoding": "gzip"} if packed else {}
    )
    return Response(asset.packed if packed else asset.plain, headers=headers, media_type=asset.media_type)
