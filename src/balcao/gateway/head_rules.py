"""What RFC 9110 and 9112 demand of a head and llhttp does not look at."""

import re

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


def judge(method: str, target: bytes, version: str, fields: RawHeaders, head_bytes: int) -> tuple[bytes, bytes, bool]:
    """Return the path and the query as they were sent, and whether a body is announced. Raises Refused."""
    size = len(target)
    hosts, codings, length, is_understood = [], [], b"0", True
    for name, value in fields:
        size += len(name) + len(value) + 4
        if name in _FRAMING:
            if name == b"host":
                hosts.append(value)
            elif name == b"content-length":
                length = value
            elif name == b"expect":
                is_understood &= value.lower() == b"100-continue"
            else:
                codings.append(value)
    if size > head_bytes:
        raise Refused(431)
    if version not in _VERSIONS:
        raise Refused(400)
    is_old = version == "1.0"
    path, query = _split(method, target)
    if len(hosts) > 1 or (hosts and not _HOST.fullmatch(hosts[0])) or (not hosts and not is_old):
        raise Refused(400)
    # HTTP/1.0 knows no codings: whoever stands between may have read another end of the body.
    if codings and (is_old or len(codings) > 1):
        raise Refused(400)
    if codings and codings[0].lower() != b"chunked":
        raise Refused(501)
    if not is_understood:
        raise Refused(417)
    return path, query, bool(codings) or length != b"0"


def _split(method: str, target: bytes) -> tuple[bytes, bytes]:
    """Return path and query. Of the absolute form the authority is left out: one origin is served."""
    if method == "CONNECT":
        raise Refused(501)
    if absolute := _ABSOLUTE.match(target):
        if not _HOST.fullmatch(absolute[1]):
            raise Refused(400)
        target = target[absolute.end() :]
        target = target if target.startswith(b"/") else b"/" + target
    if (not target.startswith(b"/") and (target != b"*" or method != "OPTIONS")) or b"#" in target:
        raise Refused(400)
    path, _, query = target.partition(b"?")
    return path, query
