"""A table of cases: a name, the bytes to send on a connection, and the responses that RFC 9110 and 9112 require.

A response is written like `200 GET / 0`: the status and, for a 200, the request's method, target and body length as the
application received them. The server closes after the last response. A `|` separates bytes sent before the first
response from bytes sent after it.
"""

from typing import NamedTuple


class Case(NamedTuple):
    name: str
    sent: bytes
    answers: tuple[str, ...]

    @property
    def parts(self) -> list[bytes]:
        """Return the bytes to send before the first response, and those to send after it."""
        return self.sent.split(b"|")


def _case(name: str, sent: str, *answers: str) -> Case:
    return Case(name, sent.replace("\n", "\r\n").encode("latin-1"), answers)


def _head(name: str, field: str, *answers: str) -> Case:
    """Return a case with a GET that has one additional header."""
    return _case(name, f"GET / HTTP/1.1\nHost: a\n{field}\nConnection: close\n\n", *answers)


def _line(name: str, line: str, *answers: str) -> Case:
    """Return a case with this request line."""
    return _case(name, f"{line}\nHost: a\nConnection: close\n\n", *answers)


def _body(name: str, fields: str, body: str, *answers: str) -> Case:
    """Return a case with a POST that has these headers and this body."""
    return _case(name, f"POST / HTTP/1.1\nHost: a\n{fields}\n\n{body}", *answers)


def _chunked(name: str, body: str, *answers: str) -> Case:
    return _body(name, "Transfer-Encoding: chunked\nConnection: close", body, *answers)


def _offer(protocol: str, more: str = "") -> str:
    return f"Connection: Upgrade\nUpgrade: {protocol}\n{more}"


OK = "200 GET / 0"
NEXT = "GET /next HTTP/1.1\nHost: a\nConnection: close\n\n"
THEN = "200 GET /next 0"
_GET = "GET / HTTP/1.1\nHost: a\n\n"
_HELLO = "Content-Length: 5"
_WEBSOCKET = "Sec-WebSocket-Version: 13\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\n"
_H2C = "HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\n"
_LONG = "x" * 66_000

UPGRADES = [
    _case(f"{what} offered, {how}", f"{method} / HTTP/1.1\nHost: a\n{offer}{framing}\n\n{body}{NEXT}", answer, THEN)
    for what, offer in (
        ("h2c", _offer("h2c", _H2C)),
        ("websocket", _offer("websocket", _WEBSOCKET)),
        ("h2c without settings", _offer("h2c")),
        ("h2c by curl", f"Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\n{_H2C}"),
        ("an unknown protocol", _offer("example/1")),
        ("two protocols", _offer("h2c, websocket", _WEBSOCKET)),
        ("TLS", _offer("TLS/1.0")),
    )
    for how, method, framing, body, answer in (
        ("no body", "GET", "X: y", "", OK),
        ("body", "POST", _HELLO, "hello", "200 POST / 5"),
        ("chunked body", "POST", "Transfer-Encoding: chunked", "5\nhello\n0\n\n", "200 POST / 5"),
        (
            "a body that looks like a request",
            "PUT",
            f"Content-Length: {len(_GET) + 3}",
            _GET,
            f"200 PUT / {len(_GET) + 3}",
        ),
    )
]
LINES = [
    _line("origin form", "GET / HTTP/1.1", OK),
    _line("query", "GET /a?b=c HTTP/1.1", "200 GET /a?b=c 0"),
    _line("encoded path stays as it was sent", "GET /a%2Fb%2e%2E/../c//d HTTP/1.1", "200 GET /a%2Fb%2e%2E/../c//d 0"),
    _line("bad escape stays as it was sent", "GET /%zz%f HTTP/1.1", "200 GET /%zz%f 0"),
    _line("absolute form", "GET http://example.org/a?b HTTP/1.1", "200 GET /a?b 0"),
    _line("absolute form without path", "GET http://example.org HTTP/1.1", OK),
    _line("asterisk form", "OPTIONS * HTTP/1.1", "200 OPTIONS * 0"),
    _line("asterisk form of another method", "GET * HTTP/1.1", "400"),
    _line("authority form", "CONNECT a:80 HTTP/1.1", "501"),
    _line("relative target", "GET a HTTP/1.1", "400"),
    _line("empty target", "GET  HTTP/1.1", "400"),
    _line("two spaces", "GET  / HTTP/1.1", OK),  # RFC 9112 3 and llhttp allow this
    _line("tab for space", "GET\t/ HTTP/1.1", "400"),
    _line("space in the target", "GET /a b HTTP/1.1", "400"),
    _line("control character in the target", "GET /a\x01b HTTP/1.1", "400"),
    _line("DEL in the target", "GET /a\x7fb HTTP/1.1", "400"),
    _line("NUL in the target", "GET /a\x00b HTTP/1.1", "400"),
    _line("method that nobody registered", "BREW / HTTP/1.1", "400"),  # llhttp accepts only registered methods
    _line("registered method", "PROPFIND / HTTP/1.1", "200 PROPFIND / 0"),
    _line("method in small letters is another method", "get / HTTP/1.1", "400"),
    _line("fragment", "GET /a#b HTTP/1.1", "400"),
    _line("letter beyond ASCII in the target", "GET /\xe9 HTTP/1.1", "400"),
    _line("absolute form of a bad authority", "GET http://a b/ HTTP/1.1", "400"),
    _line("absolute form with a user", "GET http://u@a/ HTTP/1.1", "400"),
    _line("method with a bad character", "GE(T / HTTP/1.1", "400"),
    _line("no method", " / HTTP/1.1", "400"),
    _line("no version", "GET /", "400"),
    _line("no target", "GET HTTP/1.1", "400"),
    _line("one word", "GET", "400"),
    _line("HTTP/2.0", "GET / HTTP/2.0", "400"),
    _line("HTTP/3.0", "GET / HTTP/3.0", "400"),
    _line("HTTP/0.9", "GET / HTTP/0.9", "400"),
    _line("no such version", "GET / HTTP/1.x", "400"),
    _line("version in small letters", "GET / http/1.1", "400"),
    _line("another protocol", "GET / FTP/1.1", "400"),
    _line("line too long", f"GET /{_LONG} HTTP/1.1", "414"),
    _line("query too long", f"GET /?{_LONG} HTTP/1.1", "414"),
    _case("empty lines before", f"\n\n{NEXT}", THEN),
    Case("line feed alone", b"GET / HTTP/1.1\nHost: a\nConnection: close\n\n", ("400",)),
    Case("line feed alone after a field", b"GET / HTTP/1.1\r\nHost: a\nConnection: close\r\n\r\n", ("400",)),
    _case("not HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n\n", "400"),
    _case("HTTP/2 preface", "PRI * HTTP/2.0\n\nSM\n\n", "400"),
]
HOSTS = [
    _case("no host", "GET / HTTP/1.1\nConnection: close\n\n", "400"),
    _case("no host in absolute form", "GET http://a/ HTTP/1.1\nConnection: close\n\n", "400"),
    _case("no host in HTTP/1.0", "GET / HTTP/1.0\n\n", OK),
    _case("two hosts", "GET / HTTP/1.1\nHost: a\nHost: b\nConnection: close\n\n", "400"),
    _case("the same host twice", "GET / HTTP/1.1\nHost: a\nHost: a\nConnection: close\n\n", "400"),
    _case("empty host", "GET / HTTP/1.1\nHost:\nConnection: close\n\n", OK),
    _case("blank host", "GET / HTTP/1.1\nHost:  \nConnection: close\n\n", OK),
    _case("empty host twice", "GET / HTTP/1.1\nHost:\nHost:\nConnection: close\n\n", "400"),
    _case("host with port", "GET / HTTP/1.1\nHost: a:80\nConnection: close\n\n", OK),
    _case("IPv6 host", "GET / HTTP/1.1\nHost: [::1]:80\nConnection: close\n\n", OK),
    _case("longest host", f"GET / HTTP/1.1\nHost: {'a' * 255}:65535\nConnection: close\n\n", OK),
    _case("host that is too long", f"GET / HTTP/1.1\nHost: {'a' * 263}\nConnection: close\n\n", "400"),
    _case("host with a space", "GET / HTTP/1.1\nHost: a b\nConnection: close\n\n", "400"),
    _case("host with a path", "GET / HTTP/1.1\nHost: a/b\nConnection: close\n\n", "400"),
    _case("host with a user", "GET / HTTP/1.1\nHost: u@a\nConnection: close\n\n", "400"),
    _case("host and an empty port", "GET / HTTP/1.1\nHost: a:\nConnection: close\n\n", OK),
    _case("encoded host", "GET / HTTP/1.1\nHost: %61-b.c_d\nConnection: close\n\n", OK),
    _case("port alone", "GET / HTTP/1.1\nHost: :80\nConnection: close\n\n", "400"),
    _case("port that is no number", "GET / HTTP/1.1\nHost: a:b\nConnection: close\n\n", "400"),
    _case("two ports", "GET / HTTP/1.1\nHost: a:1:2\nConnection: close\n\n", "400"),
    _case("host with a bad escape", "GET / HTTP/1.1\nHost: a%zz\nConnection: close\n\n", "400"),
    _case("half a bracket", "GET / HTTP/1.1\nHost: [::1\nConnection: close\n\n", "400"),
    _case("no address in brackets", "GET / HTTP/1.1\nHost: [g]\nConnection: close\n\n", "400"),
    _case("list of hosts", "GET / HTTP/1.1\nHost: a, b\nConnection: close\n\n", "400"),
]
FIELDS = [
    _head("no value", "A:", OK),
    _head("blanks around a value", "A: \t b \t ", OK),
    _head("no blank before a value", "A:b", OK),
    _head("bytes beyond ASCII", "A: \xe9\xff", OK),
    _head("name in capitals", "ACCEPT: b", OK),
    _head("the same name often", "A: b\nA: c\nA: d", OK),
    _head("ninety-seven fields more", "\n".join(["A: b"] * 97), OK),
    _head("folded value", "A: b\n c", "400"),
    _head("folded by a tab", "A: b\n\tc", "400"),
    _head("blank before the colon", "A : b", "400"),
    _head("blank before the name", " A: b", "400"),
    _head("no colon", "A", "400"),
    _head("no name", ": b", "400"),
    _head("blank in the name", "A B: c", "400"),
    _head("bracket in the name", "A(B): c", "400"),
    _head("letter beyond ASCII in the name", "\xc1: c", "400"),
    _head("NUL in the value", "A: b\x00c", "400"),
    _head("control character in the value", "A: b\x01c", "400"),
    _head("carriage return in the value", "A: b\rc", "400"),
    _head("NUL in the name", "A\x00B: c", "400"),
    _head("one field too long", f"A: {_LONG}", "431"),
    _head("one name too long", f"{_LONG}: a", "431"),
    _head("too much in all", "\n".join([f"A: {'x' * 1400}"] * 48), "431"),
    _head("too many fields", "\n".join(["A: b"] * 101), "431"),
    _head("sixty thousand bytes", f"A: {'x' * 60_000}", OK),
]
LENGTHS = [
    _body("length", f"{_HELLO}\nConnection: close", "hello", "200 POST / 5"),
    _body("length nought", "Content-Length: 0\nConnection: close", "", "200 POST / 0"),
    _body("no length", "Connection: close", "", "200 POST / 0"),
    _body("length with noughts before", "Content-Length: 0005\nConnection: close", "hello", "200 POST / 5"),
    _body("what follows is the next request", _HELLO, "hello" + NEXT, "200 POST / 5", THEN),
    _body("the same length twice", f"{_HELLO}\n{_HELLO}\nConnection: close", "hello", "400"),
    _body("two lengths", f"{_HELLO}\nContent-Length: 6", "hello!", "400"),
    _body("list of equal lengths", "Content-Length: 5, 5", "hello", "400"),
    _body("list of lengths", "Content-Length: 5, 6", "hello!", "400"),
    _body("length with sign", "Content-Length: +5", "hello", "400"),
    _body("negative length", "Content-Length: -5", "hello", "400"),
    _body("hexadecimal length", "Content-Length: 0x5", "hello", "400"),
    _body("broken length", "Content-Length: 5.0", "hello", "400"),
    _body("no digits", "Content-Length: five", "hello", "400"),
    _body("empty length", "Content-Length:", "", "400"),
    _body("length beyond 64 bits", f"Content-Length: {2**64}", "hello", "400"),
    _body("length with a blank inside", "Content-Length: 1 5", "hello", "400"),
    _case("GET with a body", f"GET / HTTP/1.1\nHost: a\n{_HELLO}\n\nhello{NEXT}", "200 GET / 5", THEN),
    _case("DELETE with a body", f"DELETE / HTTP/1.1\nHost: a\n{_HELLO}\n\nhello{NEXT}", "200 DELETE / 5", THEN),
    _case(
        "body that nobody reads",
        f"POST /unread HTTP/1.1\nHost: a\n{_HELLO}\nConnection: close\n\nhello",
        "200 POST /unread 0",
    ),
]
CODINGS = [
    _chunked("one chunk", "5\nhello\n0\n\n", "200 POST / 5"),
    _chunked("two chunks", "2\nhe\n3\nllo\n0\n\n", "200 POST / 5"),
    _chunked("no chunk", "0\n\n", "200 POST / 0"),
    _chunked("hexadecimal size", "00A\n0123456789\n0\n\n", "200 POST / 10"),
    _chunked("extension", '5;a=b;c="d"\nhello\n0;e\n\n', "200 POST / 5"),
    _chunked("trailer", "5\nhello\n0\nA: b\nC: d\n\n", "200 POST / 5"),
    _chunked("size is no number", "five\nhello\n0\n\n", "400"),
    _chunked("no size", "\nhello\n0\n\n", "400"),
    _chunked("negative size", "-5\nhello\n0\n\n", "400"),
    _chunked("size with 0x", "0x5\nhello\n0\n\n", "400"),
    _chunked("size beyond 64 bits", "fffffffffffffffff\nhello\n0\n\n", "400"),
    _chunked("more than its size", "3\nhello\n0\n\n", "400"),
    _chunked("line feed in a size line", "5;a\rb\nhello\n0\n\n", "400"),
    _chunked("extension too long", f"5;{'a' * 20_000}\nhello\n0\n\n", "400"),
    _body(
        "what follows the last chunk is the next request",
        "Transfer-Encoding: chunked",
        f"5\nhello\n0\n\n{NEXT}",
        "200 POST / 5",
        THEN,
    ),
    _body("chunked in capitals", "Transfer-Encoding: CHUNKED\nConnection: close", "5\nhello\n0\n\n", "200 POST / 5"),
    _body("chunked and length", f"Transfer-Encoding: chunked\n{_HELLO}", "3\nabc\n0\n\n", "400"),
    _body("length and chunked, smuggling", f"{_HELLO}\nTransfer-Encoding: chunked", f"0\n\n{NEXT}", "400"),
    _body("gzip alone", "Transfer-Encoding: gzip", "abc", "501"),
    _body("gzip, then chunked", "Transfer-Encoding: gzip, chunked", "3\nabc\n0\n\n", "501"),
    _body("chunked, then gzip", "Transfer-Encoding: chunked, gzip", "3\nabc\n0\n\n", "400"),
    _body("chunked twice", "Transfer-Encoding: chunked\nTransfer-Encoding: chunked", "3\nabc\n0\n\n", "400"),
    _body("unknown coding", "Transfer-Encoding: xchunked", "3\nabc\n0\n\n", "501"),
    _body("identity", "Transfer-Encoding: identity", "abc", "501"),
    _case("chunked in HTTP/1.0", "POST / HTTP/1.0\nTransfer-Encoding: chunked\n\n3\nabc\n0\n\n", "400"),
]
CONNECTIONS = [
    _case("kept alive", _GET + NEXT, OK, THEN),
    _case("ten at once", _GET * 9 + NEXT, *[OK] * 9, THEN),
    _case("pipelined bodies", (f"POST / HTTP/1.1\nHost: a\n{_HELLO}\n\nhello") * 3 + NEXT, *["200 POST / 5"] * 3, THEN),
    _case("closed where asked", NEXT + _GET, THEN),
    _case("close in capitals", "GET / HTTP/1.1\nHost: a\nConnection: CLOSE\n\n" + _GET, OK),
    _case("close in a list", "GET / HTTP/1.1\nHost: a\nConnection: x, close\n\n" + _GET, OK),
    _case("HTTP/1.0 closes", "GET / HTTP/1.0\n\n" + _GET, OK),
    _case("HTTP/1.0 kept alive", "GET / HTTP/1.0\nConnection: keep-alive\n\n" + NEXT, OK, THEN),
    _case("close prevails in HTTP/1.0", "GET / HTTP/1.0\nConnection: keep-alive, close\n\n" + _GET, OK),
    _case("close prevails", "GET / HTTP/1.1\nConnection: close\nHost: a\nConnection: keep-alive\n\n" + _GET, OK),
    _case(
        "close prevails in HTTP/1.0, in a field of its own",
        "GET / HTTP/1.0\nConnection: Close\nConnection: keep-alive\n\n" + _GET,
        OK,
    ),
    _case("a bad request ends the connection", "GET / HTTP/9\n\n" + NEXT, "400"),
    _case("a good one before a bad one is answered", _GET + "GET\n\n" + NEXT, OK, "400"),
    _case("HEAD has no body", f"HEAD / HTTP/1.1\nHost: a\n\n{NEXT}", "200 ", THEN),
    _case("204 has no body", f"GET /none HTTP/1.1\nHost: a\n\n{NEXT}", "204", THEN),
    _case("304 has no body", f"GET /unchanged HTTP/1.1\nHost: a\n\n{NEXT}", "304", THEN),
    _case("an application that fails", f"GET /fails HTTP/1.1\nHost: a\n\n{NEXT}", "500"),
    _case("a field that cannot be sent", f"GET /injects HTTP/1.1\nHost: a\n\n{NEXT}", "500"),
    _case("a body beside a failure", f"POST /fails HTTP/1.1\nHost: a\n{_HELLO}\n\nhello", "500"),
]
EXPECTATIONS = [
    _body("body is asked for", f"Expect: 100-continue\n{_HELLO}\nConnection: close", "|hello", "100", "200 POST / 5"),
    _body(
        "body is asked for in capitals",
        f"Expect: 100-Continue\n{_HELLO}\nConnection: close",
        "|hello",
        "100",
        "200 POST / 5",
    ),
    _body(
        "chunks are asked for",
        "Expect: 100-continue\nTransfer-Encoding: chunked\nConnection: close",
        "|5\nhello\n0\n\n",
        "100",
        "200 POST / 5",
    ),
    _body("unknown expectation", f"Expect: tea\n{_HELLO}", "hello", "417"),
    _case(
        "asked for and not wanted",
        f"POST /unread HTTP/1.1\nHost: a\nExpect: 100-continue\n{_HELLO}\nConnection: close\n\n",
        "200 POST /unread 0",
    ),
]
ALL = [*UPGRADES, *LINES, *HOSTS, *FIELDS, *LENGTHS, *CODINGS, *CONNECTIONS, *EXPECTATIONS]
