"""Requests that hide another request, and the responses that RFC 9110 and 9112 require.

A faulty parser may treat `HIDDEN` as a separate request. `HIDDEN` calls an internal path, so a gateway that treats it
this way refuses it. `NEXT` is sent after it, and gets a response if the first request was accepted. In the cases, a
line break stands for CR LF, `␊` for LF, `␍` for CR, and `{n}` for the length of the body. As in `requests`, a response
is the status and, for a 200, the request as the application received it. The server closes after the last response.
"""

from collections.abc import Iterator

from tests.http.requests import NEXT, THEN, Case

# In these cases a parser may wait forever for the rest of the body, so the test does not wait for a response.
ENDLESS = {"length: beyond 32 bits", "chunks: size beyond 32 bits", "head: CONNECT"}
PATH = "/registry/v1/attack"
HIDDEN_PATH = "/access/api/v1/check"
HIDDEN = f"GET {HIDDEN_PATH} HTTP/1.1\nHost: a\n\n"
_HIDDEN_SIZE = len(HIDDEN) + HIDDEN.count("\n")
_IN_A_CHUNK = f"{_HIDDEN_SIZE:x}\n{HIDDEN}\n0\n\n"
_AFTER_CHUNKS = f"0\n\n{HIDDEN}"
# The expected results: refused, refused as unsupported, or accepted with the hidden request as the body. If the body is
# too large, the server responds before it reads the body, and reads nothing afterwards.
BAD, UNKNOWN, TAKEN, TOO_LARGE = "400", "501", "taken", "too large"


def _encode(text: str) -> bytes:
    return text.replace("\n", "\r\n").replace("␊", "\n").replace("␍", "\r").encode("latin-1")


def _make(name: str, head: str, body: str, answer: str, method: str = "POST") -> Case:
    content = _encode(body)
    sent = _encode(head.replace("{n}", str(len(content)))) + content + _encode(NEXT)
    if method == "HEAD":
        return Case(name, sent, ("200 ", THEN))
    if answer == TOO_LARGE:
        return Case(name, sent, (f"200 {method} {PATH} 0",))
    if answer == TAKEN:
        answer = f"200 {method} {PATH} {len(content)}"
    return Case(name, sent, (answer, THEN) if answer.startswith("200") else (answer,))


def _post(name: str, fields: str, body: str, answer: str, start: str = f"POST {PATH} HTTP/1.1\nHost: a") -> Case:
    return _make(name, f"{start}\n{fields}\n\n", body, answer)


# ---- lengths and codings: CL.TE, TE.CL, TE.TE ----------------------------------------------------------------------

# Headers that are sent together with a `Content-Length`. Some parsers accept them as `Transfer-Encoding: chunked`.
_CODINGS = {
    "chunked": "Transfer-Encoding: chunked",
    "no blank": "Transfer-Encoding:chunked",
    "tab": "Transfer-Encoding:\tchunked",
    "tab after": "Transfer-Encoding: chunked\t",
    "blank after": "Transfer-Encoding: chunked ",
    "capitals": "TRANSFER-ENCODING: CHUNKED",
    "blank before the colon": "Transfer-Encoding : chunked",
    "tab before the colon": "Transfer-Encoding\t: chunked",
    "blank before the name": " Transfer-Encoding: chunked",
    "folded into another field": "A: b\n Transfer-Encoding: chunked",
    "folded": "Transfer-Encoding:\n chunked",
    "folded by a tab": "Transfer-Encoding:\n\tchunked",
    "longer word": "Transfer-Encoding: xchunked",
    "longer word, other end": "Transfer-Encoding: chunkedx",
    "shorter word": "Transfer-Encoding: chunk",
    "before identity": "Transfer-Encoding: chunked, identity",
    "after identity": "Transfer-Encoding: identity, chunked",
    "after gzip": "Transfer-Encoding: gzip, chunked",
    "before gzip": "Transfer-Encoding: chunked, gzip",
    "twice": "Transfer-Encoding: chunked\nTransfer-Encoding: chunked",
    "twice in one field": "Transfer-Encoding: chunked, chunked",
    "two fields, identity first": "Transfer-Encoding: identity\nTransfer-Encoding: chunked",
    "two fields, identity last": "Transfer-Encoding: chunked\nTransfer-Encoding: identity",
    "two fields, an unknown last": "Transfer-Encoding: chunked\nTransfer-encoding: x",
    "parameter": "Transfer-Encoding: chunked;q=1",
    "quoted": 'Transfer-Encoding: "chunked"',
    "quoted once": "Transfer-Encoding: 'chunked'",
    "comma before": "Transfer-Encoding: ,chunked",
    "comma after": "Transfer-Encoding: chunked,",
    "empty": "Transfer-Encoding:",
    "vertical tab": "Transfer-Encoding: \x0bchunked",
    "form feed after": "Transfer-Encoding: chunked\x0c",
    "NUL before": "Transfer-Encoding: \x00chunked",
    "NUL inside": "Transfer-Encoding: chun\x00ked",
    "NUL after": "Transfer-Encoding: chunked\x00",
    "no-break space": "Transfer-Encoding:\xa0chunked",
    "NUL in the name": "Transfer\x00-Encoding: chunked",
    "NUL after the name": "Transfer-Encoding\x00: chunked",
    "line feed alone before": "A: b␊Transfer-Encoding: chunked",
    "line feed alone after": "Transfer-Encoding: chunked␊A: b",
    "carriage return alone before": "A: b␍Transfer-Encoding: chunked",
    "carriage return alone after": "Transfer-Encoding: chunked␍A: b",
    "name on a line of its own": "Transfer-Encoding\n: chunked",
    "blank for the colon": "Transfer-Encoding chunked",
    "blank in the name": "Transfer Encoding: chunked",
    "named as the connection's own": "Connection: Transfer-Encoding\nTransfer-Encoding: chunked",
    "beside TE": "Transfer-Encoding: chunked\nTE: trailers",
}
# Headers that the standard does not treat as a transfer coding, so only the length counts.
_NO_CODINGS = {
    "underscore": "Transfer_Encoding: chunked",
    "another name": "X-Transfer-Encoding: chunked",
    "name cut short": "Transfer-Encodin: chunked",
    "TE": "TE: chunked",
    "coding of the content": "Content-Encoding: chunked",
    "length as the connection's own": "Connection: Content-Length",
    "length as the connection's own, in a list": "Connection: keep-alive, Content-Length",
    "length with an underscore beside": "Content_Length: 0",
    "host as the connection's own": "Connection: Host",
}


def _codings() -> Iterator[Case]:
    for name, field in _CODINGS.items():
        size = _IN_A_CHUNK.index("\n") + 2
        yield _post(f"length, coding: {name}", f"Content-Length: {{n}}\n{field}", _AFTER_CHUNKS, BAD)
        yield _post(f"coding, length: {name}", f"{field}\nContent-Length: {size}", _IN_A_CHUNK, BAD)
    for name, field in _NO_CODINGS.items():
        yield _post(f"no coding: {name}", f"Content-Length: {{n}}\n{field}", _AFTER_CHUNKS, TAKEN)


# ---- lengths ------------------------------------------------------------------------------------------------------

_LENGTHS = {
    "nought last": ("Content-Length: {n}\nContent-Length: 0", BAD),
    "nought first": ("Content-Length: 0\nContent-Length: {n}", BAD),
    "the same twice": ("Content-Length: {n}\nContent-Length: {n}", BAD),
    "list, nought first": ("Content-Length: 0, {n}", BAD),
    "list, nought last": ("Content-Length: {n}, 0", BAD),
    "list of equals": ("Content-Length: {n}, {n}", BAD),
    "sign": ("Content-Length: +{n}", BAD),
    "minus": ("Content-Length: -{n}", BAD),
    "minus nought": ("Content-Length: -0", BAD),
    "two numbers": ("Content-Length: 0 {n}", BAD),
    "blank inside": ("Content-Length: {n} 0", BAD),
    "hexadecimal": ("Content-Length: 0x{n}", BAD),
    "underscore": ("Content-Length: 0_{n}", BAD),
    "semicolon": ("Content-Length: 0;{n}", BAD),
    "quotes": ('Content-Length: "{n}"', BAD),
    "fraction": ("Content-Length: 0.{n}", BAD),
    "power": ("Content-Length: 0e{n}", BAD),
    "letters after": ("Content-Length: {n}abc", BAD),
    "beyond 32 bits": ("Content-Length: 4294967296", TOO_LARGE),
    "beyond 64 bits": ("Content-Length: 18446744073709551616", BAD),
    "noughts before": ("Content-Length: 0000{n}", TAKEN),
    "blanks around": ("Content-Length: \t {n} \t", TAKEN),
    "no blank": ("Content-Length:{n}", TAKEN),
    "capitals": ("CONTENT-LENGTH: {n}", TAKEN),
    "empty": ("Content-Length:", BAD),
    "blank before the colon": ("Content-Length : {n}", BAD),
    "blank before the name": (" Content-Length: {n}", BAD),
    "folded": ("Content-Length:\n {n}", BAD),
    "folded after": ("Content-Length: 0\n {n}", BAD),
    "vertical tab": ("Content-Length: \x0b{n}", BAD),
    "NUL before": ("Content-Length: \x00{n}", BAD),
    "NUL after": ("Content-Length: {n}\x00", BAD),
    "no-break space": ("Content-Length:\xa0{n}", BAD),
    "line feed alone": ("Content-Length: {n}␊Content-Length: 0", BAD),
    "carriage return alone": ("Content-Length: {n}␍Content-Length: 0", BAD),
    "line feed alone before": ("A: b␊Content-Length: {n}", BAD),
    "carriage return alone before": ("A: b␍Content-Length: {n}", BAD),
}

# ---- chunks: sizes, extensions, ends, trailers ----------------------------------------------------------------------

_SIZE = f"{_HIDDEN_SIZE:x}"
_CHUNKS = {
    "size with noughts": (f"0000{_SIZE}\n{HIDDEN}\n0\n\n", "200"),
    "size in capitals": (f"{_SIZE.upper()}\n{HIDDEN}\n0\n\n", "200"),
    "size with a sign": (f"+{_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with a minus": (f"-0\n\n{HIDDEN}", BAD),
    "size with 0x": (f"0x{_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with an underscore": (f"0_{_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with a comma": (f"0,{_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with a blank before": (f" {_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with a blank after": (f"{_SIZE} \n{HIDDEN}\n0\n\n", BAD),
    "size with a tab after": (f"{_SIZE}\t\n{HIDDEN}\n0\n\n", BAD),
    "size with a blank inside": (f"0 {_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "size with NUL": (f"{_SIZE}\x00\n{HIDDEN}\n0\n\n", BAD),
    "size in quotes": (f'"{_SIZE}"\n{HIDDEN}\n0\n\n', BAD),
    "size beyond 32 bits": (f"100000000\n\n{HIDDEN}", BAD),
    "size beyond 64 bits": (f"1{_SIZE:>016}\n{HIDDEN}\n0\n\n", BAD),
    "no size": (f"\n{HIDDEN}\n0\n\n", BAD),
    "size and no line end": (f"{_SIZE}{HIDDEN}\n0\n\n", BAD),
    "line feed alone after the size": (f"{_SIZE}␊{HIDDEN}\n0\n\n", BAD),
    "carriage return alone after the size": (f"{_SIZE}␍{HIDDEN}\n0\n\n", BAD),
    "line feed alone after the data": (f"{_SIZE}\n{HIDDEN}␊0\n\n", BAD),
    "carriage return alone after the data": (f"{_SIZE}\n{HIDDEN}␍0\n\n", BAD),
    "nothing after the data": (f"{_SIZE}\n{HIDDEN}0\n\n", BAD),
    "more data than its size": (f"1\na0\n\n{HIDDEN}", BAD),
    "two bytes in the line end's place": (f"1\naxx0\n\n{HIDDEN}", BAD),
    "line feed alone in an extension": (f"{_SIZE};a␊{HIDDEN}\n0\n\n", BAD),
    "carriage return alone in an extension": (f"{_SIZE};a␍b\n{HIDDEN}\n0\n\n", BAD),
    "empty extension with a line feed": (f"5;␊hello\n0\n\n{HIDDEN}", BAD),
    "extension that is a line feed and a chunk": (f"0;␊{_SIZE}\n{HIDDEN}\n0\n\n", BAD),
    "extension with NUL": (f"{_SIZE};a\x00\n{HIDDEN}\n0\n\n", BAD),
    "extension with an open quote": (f'{_SIZE};a="b\n{HIDDEN}\n0\n\n', BAD),
    "extension with a quoted line end": (f'{_SIZE};a="\n0\n\n{HIDDEN}"\n0\n\n', BAD),
    "extension with quotes": (f'{_SIZE};a="b;c"\n{HIDDEN}\n0\n\n', "200"),
    "extension after a blank": (f"{_SIZE} ;a=b\n{HIDDEN}\n0\n\n", BAD),
    "last chunk with a line feed alone": (f"0␊␊{HIDDEN}", BAD),
    "last chunk's end a line feed alone": (f"0\n␊{HIDDEN}", BAD),
    "last chunk's end a carriage return alone": (f"0\n␍{HIDDEN}", BAD),
    "last chunk with a blank": (f"0 \n\n{HIDDEN}", BAD),
    "last chunk without its end": (f"0\n{HIDDEN}", BAD),
    "trailer that is a request": (f"0\nA: b\n{HIDDEN}", BAD),
    "trailer ended by line feeds": (f"0\nA: b␊␊{HIDDEN}", BAD),
    "trailer ended by carriage returns": (f"0\nA: b␍␍{HIDDEN}", BAD),
    "trailer with a folded request": (f"0\nA: b\n {HIDDEN}", BAD),
    "trailer with a blank before the colon": (f"0\nA : b\n\n{HIDDEN}", BAD),
    "trailer with NUL": (f"0\nA: \x00\n\n{HIDDEN}", BAD),
}


def _lengths_and_chunks() -> Iterator[Case]:
    for name, (fields, answer) in _LENGTHS.items():
        yield _post(f"length: {name}", fields, HIDDEN, answer)
    for name, (body, answer) in _CHUNKS.items():
        seen = f"200 POST {PATH} {_HIDDEN_SIZE}" if answer == "200" else answer
        yield _post(f"chunks: {name}", "Transfer-Encoding: chunked", body, seen)


# ---- heads: where one ends, forms of the first line, versions -------------------------------------------------------

_HIDDEN_LINES = HIDDEN.removesuffix("\n\n")
_HEADS = {
    "ended by line feeds": (f"POST {PATH} HTTP/1.1␊Host: a␊Content-Length: {{n}}␊␊", BAD),
    "ended by carriage returns": (f"POST {PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}␍␍", BAD),
    "ended by a line feed before the line end": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␊\n", BAD),
    "ended by a line feed after the line end": (f"GET {PATH} HTTP/1.1\nHost: a\n␊", BAD),
    "ended by a carriage return after the line end": (f"GET {PATH} HTTP/1.1\nHost: a\n␍", BAD),
    "line feeds in the middle": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␊␊", BAD),
    "carriage returns in the middle": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␍␍", BAD),
    "carriage return and blank line": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␍\n\n", BAD),
    "line feed and request in a value": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␊␊{HIDDEN}", BAD),
    "carriage return and request in a value": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b␍␍{HIDDEN}", BAD),
    "request in a folded value": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b\n {_HIDDEN_LINES}\n\n", BAD),
    "request for a field": (f"GET {PATH} HTTP/1.1\nHost: a\n{_HIDDEN_LINES}\n\n", BAD),
    "NUL and request in a value": (f"GET {PATH} HTTP/1.1\nHost: a\nA: b\x00\n\n", BAD),
    "request in the target": (f"GET {PATH} HTTP/1.1␊␊{HIDDEN}", BAD),
    "request in the line": (f"GET {PATH} HTTP/1.1 GET {HIDDEN_PATH} HTTP/1.1\nHost: a\n\n", BAD),
    "encoded line ends in the target": (
        f"GET {PATH}%0D%0A%0D%0AGET%20{HIDDEN_PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n",
        f"200 GET {PATH}%0D%0A%0D%0AGET%20{HIDDEN_PATH} {_HIDDEN_SIZE}",
    ),
    "line feed alone after the first line": (f"POST {PATH} HTTP/1.1␊Host: a\nContent-Length: {{n}}\n\n", BAD),
    "carriage return alone after the first line": (f"POST {PATH} HTTP/1.1␍Host: a\nContent-Length: {{n}}\n\n", BAD),
    "blank after the version": (f"POST {PATH} HTTP/1.1 \nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "tab in the first line": (f"POST\t{PATH}\tHTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "NUL in the first line": (f"POST {PATH}\x00 HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "blank line and blanks before": (f"\n POST {PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "empty lines before": (f"\n\nPOST {PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", TAKEN),
    "HTTP/0.9": (f"GET {PATH}\n", BAD),
    "HTTP/0.9 by its number": (f"POST {PATH} HTTP/0.9\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "HTTP/1.2": (f"POST {PATH} HTTP/1.2\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "HTTP/2.0": (f"POST {PATH} HTTP/2.0\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "HTTP/1.10": (f"POST {PATH} HTTP/1.10\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "HTTP/1": (f"POST {PATH} HTTP/1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "HTTP/01.1": (f"POST {PATH} HTTP/01.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "version in small letters": (f"POST {PATH} http/1.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "CONNECT": ("CONNECT a:80 HTTP/1.1\nHost: a:80\n\n", UNKNOWN),
    "CONNECT with a body": ("CONNECT a:80 HTTP/1.1\nHost: a:80\nContent-Length: {n}\n\n", UNKNOWN),
    "CONNECT in origin form": (f"CONNECT {PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", UNKNOWN),
    "absolute form, another host": (f"POST http://b{PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", TAKEN),
    "absolute form, no host": (f"POST http://b{PATH} HTTP/1.1\nContent-Length: {{n}}\n\n", BAD),
    "absolute form of another scheme": (f"POST ftp://b{PATH} HTTP/1.1\nHost: a\nContent-Length: {{n}}\n\n", BAD),
    "two hosts": (f"POST {PATH} HTTP/1.1\nHost: a\nHost: b\nContent-Length: {{n}}\n\n", BAD),
    "host with a line feed": (f"POST {PATH} HTTP/1.1\nHost: a␊Content-Length: 0\nContent-Length: {{n}}\n\n", BAD),
    "folded host": (f"POST {PATH} HTTP/1.1\nHost: a\n Content-Length: 0\nContent-Length: {{n}}\n\n", BAD),
}

# ---- HTTP/1.0 -------------------------------------------------------------------------------------------------------

_OLD = f"POST {PATH} HTTP/1.0\nHost: a\nConnection: keep-alive"
_OLD_ONES = {
    "coding": ("Transfer-Encoding: chunked", _AFTER_CHUNKS, BAD),
    "coding, in a chunk": ("Transfer-Encoding: chunked", _IN_A_CHUNK, BAD),
    "length and coding": ("Content-Length: {n}\nTransfer-Encoding: chunked", _AFTER_CHUNKS, BAD),
    "coding and length": ("Transfer-Encoding: chunked\nContent-Length: {n}", _IN_A_CHUNK, BAD),
    "length": ("Content-Length: {n}", HIDDEN, TAKEN),
    "expectation": ("Expect: 100-continue\nContent-Length: {n}", HIDDEN, TAKEN),
    "upgrade": ("Upgrade: h2c\nContent-Length: {n}", HIDDEN, TAKEN),
}

# ---- bodies of requests that usually have none ----------------------------------------------------------------------

_METHODS = ["GET", "HEAD", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "PUT", "PATCH"]
_EXPECTATIONS = {
    "at once": ("Expect: 100-continue", TAKEN),
    "in capitals": ("Expect: 100-CONTINUE", TAKEN),
    "twice": ("Expect: 100-continue\nExpect: 100-continue", BAD),
    "another first": ("Expect: x\nExpect: 100-continue", BAD),
    "another last": ("Expect: 100-continue\nExpect: x", BAD),
    "in a list": ("Expect: 100-continue, x", "417"),
    "after a letter": ("Expect: y 100-continue", "417"),
    "cut short": ("Expect: 100", "417"),
    "empty": ("Expect:", "417"),
    "folded": ("Expect:\n 100-continue", BAD),
    "with NUL": ("Expect: 100-continue\x00", BAD),
}
_OFFERS = {
    "h2c": "Connection: Upgrade, HTTP2-Settings\nUpgrade: h2c\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
    "h2c without settings": "Connection: Upgrade\nUpgrade: h2c",
    "h2c, not named by the connection": "Upgrade: h2c\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA",
    "websocket": "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 13\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "websocket of an old version": "Connection: Upgrade\nUpgrade: websocket\nSec-WebSocket-Version: 777\n"
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    "HTTP/2.0": "Connection: Upgrade\nUpgrade: HTTP/2.0",
    "TLS": "Connection: Upgrade\nUpgrade: TLS/1.2",
}


def _bodies() -> Iterator[Case]:
    for name, (head, answer) in _HEADS.items():
        yield _make(f"head: {name}", head, HIDDEN, answer)
    for name, (fields, body, answer) in _OLD_ONES.items():
        yield _post(f"HTTP/1.0: {name}", fields, body, answer, start=_OLD)
    for method in _METHODS:
        head = f"{method} {PATH} HTTP/1.1\nHost: a\n"
        yield _make(f"body of {method}", f"{head}Content-Length: {{n}}\n\n", HIDDEN, TAKEN, method)
        seen = f"200 {method} {PATH} {_HIDDEN_SIZE}"
        yield _make(f"chunks of {method}", f"{head}Transfer-Encoding: chunked\n\n", _IN_A_CHUNK, seen, method)
    for name, (field, answer) in _EXPECTATIONS.items():
        yield _post(f"expectation: {name}", f"{field}\nContent-Length: {{n}}", HIDDEN, answer)
    for name, fields in _OFFERS.items():
        yield _post(f"offer of {name}", f"{fields}\nContent-Length: {{n}}", HIDDEN, TAKEN)
        seen = f"200 POST {PATH} {_HIDDEN_SIZE}"
        yield _post(f"offer of {name}, chunks", f"{fields}\nTransfer-Encoding: chunked", _IN_A_CHUNK, seen)


ALL = [*_codings(), *_lengths_and_chunks(), *_bodies()]
