"""Check the head of a request for what RFC 9110 and RFC 9112 require but llhttp does not check."""

import re
from functools import lru_cache

from balcao.core.context.headers import Headers
from balcao.core.http.responses import RawHeaders

# A `Host` (RFC 3986 3.2.2): an address in brackets or a name, then an optional port.
_HOST = re.compile(rb"(?:\[[0-9A-Fa-f:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})+)(?::[0-9]*)?")
_CLOSE = re.compile(rb"(?:^|,)[ \t]*close[ \t]*(?:,|$)", re.IGNORECASE)
_ABSOLUTE = re.compile(rb"https?://([^/?]*)", re.IGNORECASE)
_VERSIONS = frozenset({"1.0", "1.1"})
_ONCE = (b"host", b"transfer-encoding", b"expect")
_CONTINUE = b"100-continue"
# The number of cached hosts, and the length of the longest host: a name of 255 bytes, a colon and a port.
_KNOWN_HOSTS, _LONGEST_HOST = 1024, 262

# The number of bytes of a refused body that the server reads and discards. Otherwise a caller that is still sending
# would miss the refusal. The value exceeds every body limit, so a caller whose body is slightly too large always
# receives the reason.
DISCARD_BYTES = 32 * 1024 * 1024


class Refused(Exception):
    """A refusal by the server itself, before an endpoint receives the request."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


def check_head(version: str, headers: Headers, fields: RawHeaders) -> bool:
    """Check a request head, and return whether the request has a body. Raises Refused if the head violates a rule.

    `fields` are all headers as they were sent, including repeated headers. `headers` maps names to values.
    """
    is_old = version == "1.0"
    if version not in _VERSIONS:
        raise Refused(400)
    host, coding = headers.get(b"host"), headers.get(b"transfer-encoding")
    # RFC 9112 3.2: the `Host` header is empty if the target has no authority.
    if (not is_old) if host is None else host and not _is_host(host):
        raise Refused(400)
    if len(headers) != len(fields):
        names = [name for name, _ in fields]
        if any(names.count(name) > 1 for name in _ONCE):
            raise Refused(400)
    if coding is not None:
        # HTTP/1.0 has no transfer codings, so a proxy in front of us may disagree about where the body ends.
        if is_old:
            raise Refused(400)
        if coding.lower() != b"chunked":
            raise Refused(501)
    if headers.get(b"expect", _CONTINUE).lower() != _CONTINUE:
        raise Refused(417)
    return coding is not None or headers.get(b"content-length", b"0") != b"0"


def _is_host(value: bytes) -> bool:
    return len(value) <= _LONGEST_HOST and _matches_host(value)


@lru_cache(_KNOWN_HOSTS)
def _matches_host(value: bytes) -> bool:
    return _HOST.fullmatch(value) is not None


def says_close(fields: RawHeaders) -> bool:
    """Return whether a `Connection` header contains `close`, possibly among other options."""
    return any(name == b"connection" and _CLOSE.search(value) is not None for name, value in fields)


def split_target(method: str, target: bytes) -> tuple[bytes, bytes]:
    """Return the path and query as they were sent. Raises Refused for CONNECT or a malformed target.

    The authority of an absolute target is dropped, because this server has only one origin.
    """
    if method == "CONNECT":
        raise Refused(501)
    if not target.startswith(b"/") and (target != b"*" or method != "OPTIONS"):
        absolute = _ABSOLUTE.match(target)
        if absolute is None or not _is_host(absolute[1]):
            raise Refused(400)
        target = target[absolute.end() :]
        target = target if target.startswith(b"/") else b"/" + target
    if b"#" in target:
        raise Refused(400)
    path, _, query = target.partition(b"?")
    return path, query
