"""What RFC 9110 and 9112 demand of a head and llhttp does not look at."""

import re

from balcao.core.context.headers import Headers
from balcao.core.http.responses import RawHeaders

_HOST = re.compile(rb"[A-Za-z0-9._~!$&'()*+,;=%:\[\]-]+")
_ABSOLUTE = re.compile(rb"https?://([^/?]*)", re.IGNORECASE)
_VERSIONS = frozenset({"1.0", "1.1"})
_FRAMING = frozenset({b"content-length", b"transfer-encoding", b"expect", b"host"})


# How much of a body that is refused is read on: a caller who is still sending would miss the refusal else.
DISCARD_BYTES = 16 * 1024 * 1024


class Refused(Exception):
    """The wire refuses the request by itself, with a status that has no body."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class Head:
    """A head's version and fields, which were judged, without its request line.

    `size` is that of the fields, `length` the declared one, None without; `caller` is the address that called.
    """

    __slots__ = ("caller", "fields", "has_body", "headers", "is_old", "length", "size", "version", "wants_continue")

    def __init__(self, version: str, fields: RawHeaders, caller: str) -> None:
        """Judge what the fields say. Raises Refused."""
        self.version = version
        self.fields = fields
        self.caller = caller
        self.is_old = version == "1.0"
        self.headers = Headers.of(fields)
        self.length = self.headers.get(b"content-length")
        self.size, self.has_body = _judge(version, fields)
        self.wants_continue = b"expect" in self.headers and not self.is_old


def _judge(version: str, fields: RawHeaders) -> tuple[int, bool]:
    """Return the size of the fields, and whether a body is announced. Raises Refused."""
    size = 0
    hosts, codings, length, expected = [], [], b"0", b"100-continue"
    for name, value in fields:
        size += len(name) + len(value) + 4
        if name in _FRAMING:
            if name == b"host":
                hosts.append(value)
            elif name == b"content-length":
                length = value
            elif name == b"expect":
                expected = value
            else:
                codings.append(value)
    if version not in _VERSIONS:
        raise Refused(400)
    is_old = version == "1.0"
    if len(hosts) > 1 or (hosts and not _HOST.fullmatch(hosts[0])) or (not hosts and not is_old):
        raise Refused(400)
    # HTTP/1.0 knows no codings: whoever stands between may have read another end of the body.
    if codings and (is_old or len(codings) > 1):
        raise Refused(400)
    if codings and codings[0].lower() != b"chunked":
        raise Refused(501)
    if expected.lower() != b"100-continue":
        raise Refused(417)
    return size, bool(codings) or length != b"0"


def split_target(method: str, target: bytes) -> tuple[bytes, bytes]:
    """Return path and query as they were sent. Raises Refused.

    Of the absolute form the authority is left out: one origin is served.
    """
    if method == "CONNECT":
        raise Refused(501)
    if not target.startswith(b"/") and (target != b"*" or method != "OPTIONS"):
        absolute = _ABSOLUTE.match(target)
        if absolute is None or not _HOST.fullmatch(absolute[1]):
            raise Refused(400)
        target = target[absolute.end() :]
        target = target if target.startswith(b"/") else b"/" + target
    if b"#" in target:
        raise Refused(400)
    path, _, query = target.partition(b"?")
    return path, query
