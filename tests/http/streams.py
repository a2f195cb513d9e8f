"""Generates the bytes of a connection: requests of every kind, some with one or two faults, and a final request.

A fault changes a meaningful part of a request rather than a random byte, so that it affects the parser's decisions.
However a server interprets the bytes, the final request ends the connection: it is complete, and longer than any
incomplete body.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from hypothesis import strategies as st

LAST_TARGET = b"/last/" + b"e" * 150
LAST = b"GET " + LAST_TARGET + b" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
_HIDDEN = b"GET /hidden HTTP/1.1\r\nHost: a\r\n\r\n"
_EOL = b"\r\n"


@dataclass
class Parts:
    """A request before it is encoded. `ends` contains the line ends that are not CR LF, by line number."""

    method: bytes
    target: bytes
    version: bytes
    fields: list[bytes]
    body: list[bytes] = field(default_factory=list)
    ends: dict[int, bytes] = field(default_factory=dict)

    def encode(self) -> bytes:
        start = b" ".join(filter(None, (self.method, self.target, self.version)))
        lines = [start, *self.fields, b""]
        return b"".join(line + self.ends.get(number, _EOL) for number, line in enumerate(lines)) + b"".join(self.body)


class Stream(NamedTuple):
    """The generated requests, and the pieces of bytes to send."""

    requests: list[bytes]
    pieces: list[bytes]


def _sized(body: bytes) -> tuple[list[bytes], list[bytes]]:
    return [b"Content-Length: %d" % len(body)], [body]


def _chunked(*chunks: bytes, trailer: bytes = b"") -> tuple[list[bytes], list[bytes]]:
    """Return the headers and the body. The body's elements are the chunk sizes, the chunks and the line ends."""
    body: list[bytes] = []
    for chunk in chunks:
        body += [b"%x" % len(chunk), _EOL, chunk, _EOL]
    return [b"Transfer-Encoding: chunked"], [*body, b"0", _EOL, trailer, _EOL]


_NOTHING: tuple[list[bytes], list[bytes]] = ([], [])
_BODIES = {
    "nothing": _NOTHING,
    "length nought": _sized(b""),
    "length": _sized(b"hello"),
    "length of a request": _sized(_HIDDEN),
    "length of chunks": _sized(b"5\r\nhello\r\n0\r\n\r\n"),
    "chunks": _chunked(b"hello", b"x" * 20),
    "chunk of a request": _chunked(_HIDDEN),
    "no chunk": _chunked(),
    "chunks and trailer": _chunked(b"hello", trailer=b"A: b\r\n"),
}
_OFFER = [b"Connection: Upgrade", b"Upgrade: websocket", b"Sec-WebSocket-Version: 13", b"Sec-WebSocket-Key: YQ=="]
_HEADS: dict[str, tuple[bytes, bytes, bytes, list[bytes]]] = {
    "GET": (b"GET", b"/a?b=c", b"HTTP/1.1", []),
    "HEAD": (b"HEAD", b"/a", b"HTTP/1.1", []),
    "POST": (b"POST", b"/a", b"HTTP/1.1", [b"A: b", b"C:d \t"]),
    "PUT": (b"PUT", b"/a%2Fb", b"HTTP/1.1", []),
    "DELETE": (b"DELETE", b"/a//b", b"HTTP/1.1", []),
    "PATCH that nobody reads": (b"PATCH", b"/unread", b"HTTP/1.1", []),
    "offered, and nobody reads it": (b"PATCH", b"/unread", b"HTTP/1.1", [b"Expect: 100-continue"]),
    "absolute form": (b"POST", b"http://a.b/c?d", b"HTTP/1.1", []),
    "HTTP/1.0": (b"POST", b"/old", b"HTTP/1.0", []),
    "HTTP/1.0, kept alive": (b"POST", b"/old", b"HTTP/1.0", [b"Connection: keep-alive"]),
    "HTTP/1.0, nearly kept alive": (b"POST", b"/old", b"HTTP/1.0", [b"Connection: x-keep-alive"]),
    "continued": (b"POST", b"/a", b"HTTP/1.1", [b"Expect: 100-continue"]),
    "offer": (b"POST", b"/a", b"HTTP/1.1", _OFFER),
    "offer of h2c": (b"GET", b"/a", b"HTTP/1.1", [b"Connection: Upgrade, HTTP2-Settings", b"Upgrade: h2c"]),
    "closing": (b"POST", b"/a", b"HTTP/1.1", [b"Connection: close"]),
}


def _make(head: str, body: str) -> Parts:
    method, target, version, fields = _HEADS[head]
    framing, content = _BODIES[body]
    return Parts(method, target, version, [b"Host: a", *fields, *framing], list(content))


Spoil = Callable[[Parts, int], None]
"""Functions that change the parts of a request. The number selects the position, if the function needs one."""


def _replace(part: str, value: bytes) -> Spoil:
    return lambda parts, _: setattr(parts, part, value)


def _end(end: bytes) -> Spoil:
    def spoil(parts: Parts, place: int) -> None:
        parts.ends[place % (len(parts.fields) + 2)] = end

    return spoil


def _insert(line: bytes) -> Spoil:
    return lambda parts, place: parts.fields.insert(place % (len(parts.fields) + 1), line)


def _reframe(*lines: bytes) -> Spoil:
    """Replace the headers that define the body's length."""

    def spoil(parts: Parts, _: int) -> None:
        kept = [line for line in parts.fields if not line.lower().startswith((b"content-length", b"transfer-enc"))]
        parts.fields = [*kept, *lines]

    return spoil


def _rehost(*lines: bytes) -> Spoil:
    def spoil(parts: Parts, _: int) -> None:
        parts.fields = [*lines, *(line for line in parts.fields if not line.lower().startswith(b"host"))]

    return spoil


def _rebody(value: bytes) -> Spoil:
    """Replace one element of the body."""

    def spoil(parts: Parts, place: int) -> None:
        if parts.body:
            parts.body[place % len(parts.body)] = value

    return spoil


def _resize(make: Callable[[bytes], bytes]) -> Spoil:
    """Write one chunk size in another notation."""

    def spoil(parts: Parts, place: int) -> None:
        if len(parts.body) > 1:
            sizes = range(0, len(parts.body), 4)
            at = sizes[place % len(sizes)]
            parts.body[at] = make(parts.body[at])

    return spoil


def _trail(trailer: bytes) -> Spoil:
    def spoil(parts: Parts, _: int) -> None:
        if len(parts.body) > 1:
            parts.body[-2] = trailer

    return spoil


def _cut(parts: Parts, place: int) -> None:
    parts.body = parts.body[: place % (len(parts.body) + 1)]


def _around(before: bytes, after: bytes) -> Callable[[bytes], bytes]:
    return lambda size: before + size + after


_ENDS = (
    b"\n",
    b"\r",
    b"\r\r\n",
    b" \r\n",
    b"\t\r\n",
    b"\n\r\n",
    b"\r\n\n",
    b"\r\n ",
    b"\r\n\t",
    b"\x0b\r\n",
    b"\x00\r\n",
    b"",
)
_METHODS = (
    b"get|GETT|BREW|PRI|SOURCE|M-SEARCH|PROPFIND|TRACE|OPTIONS|CONNECT|GE(T|G\x00T|G\xe9T|\r\nGET|\nGET| GET"
    b"|GET |GET\t||\r\n\r\nPOST"
)
_TARGETS = (
    b"*|/..|/a/../b|/a/./b|//a|a|/a b|/a\tb|/a\x00|/a\x7f|/a\x01|/\xe9|/%|/%zz|/%00|/%2e%2e/|/a#b"
    b'|/?|/a?b?c|/a\\b|/a;b|/<>"{}|^`'
    b"|http://|http://a|http://a?b|http://a/b#c|http://u@a/|http://a b/|https://a/b|HTTP://a/b|ftp://a/b|http:/a|http:a"
    b"|a:80|//a@b/c| /a|"
)
_VERSIONS = (
    b"HTTP/1.0|HTTP/0.9|HTTP/1.2|HTTP/1.9|HTTP/1.|HTTP/1|HTTP/1.10|HTTP/01.1|HTTP/2.0|HTTP/2|HTTP/1,1|http/1.1"
    b"|HTTP/1.1 | HTTP/1.1|HTTP/ 1.1|HTTPS/1.1|ICY|HTTP/1.1\t|"
)
_LINES = (
    b"A:|:|: b|A|A b|A : b|A\t: b| A: b|\tA: b|A B: c|A(B): c|A\x00: b|\xc1: b|A: b\x00|A: \x01|A: \x7f|A: \xe9"
    b"|A: b\rc|A: b\nc"
    b'|A: b\r\n c|A: b\r\n\tc|A: b\r\n|A: b\n c|\r\n|\x0bA: b|A: b\x0bc|A_B: c|A\xa0: b|"A": b|A: "b|@A: b'
)
_NAMED = b"a:80|[::1]|a b|a/b|u@a|a, b|a\x00|\xe9|a:b|a:|[|a..b|.|_|%61|a%zz|-a|a;b|a\x0b|\x01|<a>"
_HOSTS: tuple[tuple[bytes, ...], ...] = (
    (),
    (b"Host:",),
    (b"Host: a", b"Host: a"),
    (b"Host: a", b"Host: b"),
    *((b"Host: " + value,) for value in _NAMED.split(b"|")),
    (b"Host : a",),
    (b" Host: a",),
    (b"host:a",),
    (b"Host",),
)
_CONNECTIONS = (
    b"Connection: close|Connection: keep-alive|Connection: CLOSE|Connection: x, close"
    b"|Connection: close, keep-alive|Connection: keep-alive, close|Connection:|Connection: ,"
    b"|Connection: closed|Connection: close;a|Connection: Upgrade|Connection: Host|Connection: Content-Length"
    b"|Connection: Transfer-Encoding|Proxy-Connection: close|Keep-Alive: timeout=0|Upgrade: h2c"
    b"|Upgrade: websocket|Upgrade: TLS/1.0|Upgrade:|HTTP2-Settings: AAMAAABk|Expect: 100-continue"
    b"|Expect: 100-Continue|Expect: tea|Expect:|Expect: 100-continue, tea|TE: trailers|Trailer: A|Date: x"
)
_NUMBERS = (
    b"+5|-5|05|005|0x5|5.0|5 5|5,5|5, 5|5,6|5;a|5 |\t5|5\x0b|\x0c5|5\x00|five|5e0|\xd9\xa5"
    b"|18446744073709551616|18446744073709551621|9223372036854775808|4294967301|99999999|0|00|1|4|6|7|40||,|,5"
    b"|5,|\"5\"|'5'|5\r\n |\r\n 5|5\n|-0|+0|0_5|1_0"
)
_CODINGS = (
    b"chunked|Chunked|CHUNKED| chunked|chunked |chunked\t|\tchunked|\x0bchunked|\x0cchunked|chunked\x0b|xchunked"
    b"|chunkedx|chunke|chunked, chunked|chunked,chunked|identity|identity, chunked|chunked, identity|gzip"
    b"|gzip, chunked|chunked, gzip|chunked;a=b|\"chunked\"|'chunked'|,chunked|chunked,|, chunked|chunked\x00"
    b"|\x00chunked||,|\xa0chunked|chunked\xa0|\r\n chunked|chunked\r\n |chun\r\n ked|chunked chunked|[chunked]"
    b"|deflate, gzip, chunked"
)
_NAMES = (
    b"Content-Length : 5|Content-Length\t: 5|Content-Length\x00: 5|Content_Length: 5| Content-Length: 5"
    b"|Content-Length\x0b: 5|Content Length: 5|CONTENT-LENGTH: 5|Content-Length:5|Content-Length 5"
    b"|Content-Length|\xa0Content-Length: 5|X-Content-Length: 5|Content-Lengthx: 5|Transfer-Encoding : chunked"
    b"|Transfer-Encoding\t: chunked|Transfer_Encoding: chunked| Transfer-Encoding: chunked"
    b"|Transfer-Encoding\x00: chunked|Transfer Encoding: chunked|TRANSFER-ENCODING:chunked"
    b"|transfer-encoding:chunked|Transfer-Encoding chunked|X-Transfer-Encoding: chunked"
    b"|A: b\rTransfer-Encoding: chunked|A: b\nTransfer-Encoding: chunked|A: b\nContent-Length: 5"
    b"|A: b\rContent-Length: 5|A: b\x00Content-Length: 5"
)
_LENGTH, _CHUNKED = b"Content-Length: 5", b"Transfer-Encoding: chunked"
_PAIRS = (
    (_LENGTH, _CHUNKED),
    (_CHUNKED, _LENGTH),
    (_LENGTH, _LENGTH),
    (_LENGTH, b"Content-Length: 6"),
    (b"Content-Length: 0", _LENGTH),
    (_LENGTH, b"Content-Length: 0"),
    (_LENGTH, b"Content-Length:"),
    (_CHUNKED, _CHUNKED),
    (_CHUNKED, b"Transfer-Encoding: identity"),
    (b"Transfer-Encoding: identity", _CHUNKED),
    (b"Transfer-Encoding: gzip", _CHUNKED),
    (_CHUNKED, b"Transfer-Encoding:"),
    (b"Transfer-Encoding: identity", _LENGTH),
    (_LENGTH, b"Transfer-Encoding: xchunked"),
    (_LENGTH, b"Transfer-Encoding:"),
    (b"Content-Length: 0", _CHUNKED),
)
_SIZE_ENDS = (
    b';a|;a=b|;a="b"|; a = b|;|;;|;a"|;a="\r\n"|;\n|;a\n|;a\rb|;a\x00| |  |\t| ;a|\t;a'
    b"|\x0b|\x0c|\x00|g|.0|h|,|\n|\r|\r\r|;\xe9|\x0d;"
).split(b"|")
_SIZE_STARTS = b'0|00|0x|0X|+|-| |\t|\x0b|\n|\r\n|g|_|1|ffffffffffffffff|10000000000000000|fffffff|"|\x00|;'.split(b"|")
_ELEMENTS = (
    b"",
    b"\n",
    b"\r",
    b"\r\r\n",
    b"\r\n\r\n",
    b"x",
    b"xx\r\n",
    b"0",
    b"00",
    b"\x00",
    b" ",
    b"0\r\n\r\n",
    _HIDDEN,
    b"000;a",
    b"-1",
    b"5",
)
_TRAILERS = (
    b"A: b\r\nC: d\r\n|A: b\n|A : b\r\n| A: b\r\n|A\r\n|: b\r\n|A: b\r\n c\r\n|A: b\r|A: b\x00\r\n"
    b"|A\x00: b\r\n|A: \x01\r\n|\xc1: b\r\n|Content-Length: 5\r\n|Content-Length: x\r\n"
    b"|Transfer-Encoding: chunked\r\n|Transfer-Encoding: gzip\r\n|Host: b\r\n|Connection: close\r\n"
    b"|Expect: tea\r\n|Upgrade: h2c\r\nConnection: upgrade\r\n|\n|\r|x|x\r\n|Content-Length : 5\r\n"
    b"|Transfer-Encoding : chunked\r\n"
).split(b"|")

SPOILS: list[Spoil] = [
    *(_end(value) for value in _ENDS),
    *(_replace("method", value) for value in _METHODS.split(b"|")),
    *(_replace("target", value) for value in _TARGETS.split(b"|")),
    *(_replace("version", value) for value in _VERSIONS.split(b"|")),
    *(_insert(value) for value in (_LINES + b"|" + _CONNECTIONS + b"|" + _NAMES).split(b"|")),
    *(_rehost(*lines) for lines in _HOSTS),
    *(_reframe(b"Content-Length: " + value) for value in _NUMBERS.split(b"|")),
    *(_reframe(b"Transfer-Encoding: " + value) for value in _CODINGS.split(b"|")),
    *(_insert(b"Transfer-Encoding: " + value) for value in _CODINGS.split(b"|")),
    *(_insert(b"Content-Length: " + value) for value in _NUMBERS.split(b"|")),
    *(_reframe(*pair) for pair in _PAIRS),
    *(_reframe(value) for value in _NAMES.split(b"|")),
    *(_resize(_around(b"", value)) for value in _SIZE_ENDS),
    *(_resize(_around(value, b"")) for value in _SIZE_STARTS),
    *(_resize(lambda size, value=value: value) for value in (b"", b"4", b"6", b"0", b"A", b"a")),  # type: ignore[misc]
    *(_rebody(value) for value in _ELEMENTS),
    *(_trail(value) for value in (*_TRAILERS, _HIDDEN, _HIDDEN[:-2], b"A: b\r\n" * 120)),
    _reframe(),
    _cut,
]

_parts = st.builds(_make, st.sampled_from(sorted(_HEADS)), st.sampled_from(sorted(_BODIES)))
_spoils = st.tuples(st.sampled_from(SPOILS), st.integers(0, 11))
_bytes = st.tuples(
    st.integers(0, 400), st.sampled_from([b"", b"\r", b"\n", b" ", b"\x00", b":", b"0", b"\r\n", b"\xff"])
)


def _encode(parts: Parts, spoils: list[tuple[Spoil, int]]) -> bytes:
    for spoil, place in spoils:
        spoil(parts, place)
    return parts.encode()


def _replace_byte(request: bytes, change: tuple[int, bytes]) -> bytes:
    place, value = change
    place %= len(request)
    return request[:place] + value + request[place + 1 :]


_good = st.builds(_encode, _parts, st.just([]))
_spoiled = st.builds(_encode, _parts, st.lists(_spoils, min_size=1, max_size=2))
_mistyped = st.builds(_replace_byte, _good, _bytes)
_requests = st.lists(st.one_of(_good, _spoiled, _spoiled, _spoiled, _mistyped), min_size=1, max_size=4)


def _split(requests: list[bytes], cuts: list[int]) -> Stream:
    sent = b"".join(requests) + LAST
    places = sorted({cut % len(sent) for cut in cuts} - {0})
    return Stream(requests, [sent[start:end] for start, end in zip([0, *places], [*places, None], strict=True)])


streams = st.builds(_split, _requests, st.lists(st.integers(1, 2_000), max_size=3))
