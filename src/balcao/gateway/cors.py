"""CORS (Fetch standard): decide which origins may read responses, and answer preflight requests.

Credentials are not allowed: callers send a bearer token, and only pages of this origin use cookies.
"""

import re
from collections.abc import Sequence

from balcao.core.context.headers import Headers
from balcao.core.http.responses import RawHeaders

REQUEST_HEADERS = (
    "Authorization",
    "Content-Type",
    "Idempotency-Key",
    "If-Match",
    "If-None-Match",
    "Last-Event-ID",
    "X-Access-Reason",
    "X-Request-ID",
)
EXPOSED_HEADERS = (
    "Content-Disposition",
    "ETag",
    "Error-Code",
    "Location",
    "Retry-After",
    "X-Catalogue-Version",
    "X-Migration-ID",
    "X-Request-ID",
    "X-Total-Count",
)
# How long a browser may cache the response to a preflight. Chromium caches it for two hours at most.
PREFLIGHT_SECONDS = 7200

ORIGIN = b"origin"
_ASKED_METHOD = b"access-control-request-method"
_LOOPBACK = re.compile(rb"http://(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?")
_ALLOW_HEADERS = (b"access-control-allow-headers", ", ".join(REQUEST_HEADERS).encode())
_EXPOSE_HEADERS = (b"access-control-expose-headers", ", ".join(EXPOSED_HEADERS).encode())
_MAX_AGE = (b"access-control-max-age", b"%d" % PREFLIGHT_SECONDS)
# A cache must not return the response for one origin to another origin or to a request without an origin.
_VARY: RawHeaders = [(b"vary", b"Origin")]


class Cors:
    """CORS rules for the allowed `origins`. `loopback` also allows every page of the local machine, for developers."""

    def __init__(self, origins: Sequence[str] = (), *, loopback: bool = False) -> None:
        self._origins = frozenset(origin.lower().encode() for origin in origins)
        self._loopback = loopback
        self._is_on = bool(origins) or loopback

    def headers(self, request: Headers, allow: str | None = None) -> RawHeaders:
        """Return the CORS headers of a response. `allow` lists the allowed methods if this is an OPTIONS request."""
        if not self._is_on:
            return []
        origin = request.get(ORIGIN)
        if origin is None or not self._allows(origin):
            return _VARY
        allowed = [(b"access-control-allow-origin", origin), *_VARY]
        if allow is None or _ASKED_METHOD not in request:
            return [*allowed, _EXPOSE_HEADERS]
        return [*allowed, (b"access-control-allow-methods", allow.encode()), _ALLOW_HEADERS, _MAX_AGE]

    def _allows(self, origin: bytes) -> bool:
        return origin in self._origins or (self._loopback and _LOOPBACK.fullmatch(origin) is not None)
