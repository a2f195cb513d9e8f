"""The intended differences between our server and others: verdicts, the bytes that cause them, and the reason.

hyper and nginx tolerate more in many cases, each in its own way. Our server refuses bytes that two parsers may
interpret differently, and reads nothing after a refusal. Our server may accept what another one refuses only if the
length of the body is unambiguous. No kind of difference allows two servers to accept the same bytes as different
requests.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

from tests.http.comparison import CLOSED, REFUSED, TAKEN, Difference

HYPER, NGINX = "hyper", "nginx"
BOTH = (HYPER, NGINX)

# Pairs of verdicts: first our server's, then the other server's.
STRICTER = {(REFUSED, TAKEN), (REFUSED, CLOSED)}
SAID = {(REFUSED, CLOSED)}
TAKES = {(TAKEN, REFUSED)}
TAKES_EARLY = {(TAKEN, REFUSED), (TAKEN, CLOSED)}
ENDS = {(CLOSED, TAKEN), (CLOSED, REFUSED)}
GOES_ON = {(TAKEN, CLOSED), (REFUSED, CLOSED)}

# Those generated methods that llhttp accepts.
_METHODS = frozenset(b"GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PROPFIND SOURCE M-SEARCH".split())
_HOSTS = re.compile(rb"^host:(.*?)\r\n", re.IGNORECASE | re.MULTILINE)
_HOST = re.compile(rb"(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::\d*)?", re.IGNORECASE)
_AUTHORITY = re.compile(rb"^\S+ +https?://([^/? ]*)", re.IGNORECASE)
_FIELD = re.compile(rb"[\w!#$%&'*+.^`|~-]+:")
_FRAME = re.compile(
    rb"^[^a-z\r\n]*(?:content[^a-z_]length|transfer[^a-z_]encoding)[^a-z]", re.IGNORECASE | re.MULTILINE
)
_PLAIN_FRAME = re.compile(
    rb"^(?:Content-Length:[ \t]*\d+|Transfer-Encoding:[ \t]*chunked)[ \t]*\r$", re.IGNORECASE | re.MULTILINE
)
_BARE = re.compile(rb"\r(?!\n)|(?<!\r)\n|[\x00-\x08\x0b\x0c]")
_HEAD_END = re.compile(rb"\r\n\r\n")
_CHUNK_SIZE = re.compile(rb"([0-9a-fA-F]+)[^\r\n]*\r\n")
_TRAILER = rb"^0+\r\n(?:[^\r\n]+\r\n)*"

Shows = Callable[[Difference], bool]


class Kind(NamedTuple):
    name: str
    peers: tuple[str, ...]
    verdicts: set[tuple[str, str]]
    shows: Shows
    why: str


def _in(pattern: bytes) -> Shows:
    found = re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    return lambda difference: found.search(difference.around) is not None


def _line(pattern: bytes) -> Shows:
    """Return a condition on the first line of the head."""
    found = re.compile(pattern)
    return lambda difference: found.match(difference.head) is not None


def _plain_with(pattern: bytes) -> Shows:
    """Return a condition for heads that match the pattern and define the body's length unambiguously."""
    found = re.compile(pattern, re.MULTILINE)

    def shows(difference: Difference) -> bool:
        head = difference.head
        is_plain = len(_FRAME.findall(head)) == len(_PLAIN_FRAME.findall(head)) <= 1 and not _BARE.search(head)
        return is_plain and found.search(head) is not None

    return shows


def _has_unregistered_method(difference: Difference) -> bool:
    return difference.theirs == TAKEN and difference.taken.method not in _METHODS


def _has_bad_host(difference: Difference) -> bool:
    hosts = [host.strip(b" \t") for host in _HOSTS.findall(difference.head)]
    is_good = len(hosts) == 1 and (hosts[0] == b"" or _HOST.fullmatch(hosts[0]))
    return difference.theirs == TAKEN and not is_good


def _has_bad_authority(difference: Difference) -> bool:
    authority = _AUTHORITY.search(difference.head)
    return authority is not None and not _HOST.fullmatch(authority[1])


def _has_bad_field(difference: Difference) -> bool:
    _, *fields = difference.head.removesuffix(b"\r\n").split(b"\r\n")
    return difference.theirs == TAKEN and not all(_FIELD.match(field) for field in fields)


def _has_half_a_line_end(difference: Difference) -> bool:
    """Return whether a server treated the last byte of a chunk, a CR, and the LF after it as the chunk's line end."""
    return any(
        _is_a_chunk_half_ended(difference.around[head.end() :]) for head in _HEAD_END.finditer(difference.around)
    )


def _is_a_chunk_half_ended(body: bytes) -> bool:
    while size := _CHUNK_SIZE.match(body):
        end = size.end() + int(size[1], 16)
        if body[end - 1 : end + 1] == b"\r\n" != body[end : end + 2]:
            return True
        body = body[end + 2 :]
    return False


def _is_answered_early(difference: Difference) -> bool:
    return difference.taken.target == b"/unread" and difference.after != TAKEN


KINDS = [
    Kind("line feed alone", BOTH, STRICTER, _in(rb"(?<!\r)\n"),
         "RFC 9112 2.2: it MAY end a line; whoever stands between may see no end there"),
    Kind("carriage return alone", BOTH, STRICTER, _in(rb"\r(?!\n)"),
         "RFC 9112 2.2: it is invalid, or to be replaced"),
    Kind("unregistered method", BOTH, STRICTER, _has_unregistered_method,
         "RFC 9110 9.1: what is not known is not served; no operation has another"),
    Kind("no host, two, or a bad one", BOTH, STRICTER, _has_bad_host,
         "RFC 9112 3.2: it MUST be refused"),
    Kind("length beside a coding", (HYPER,), STRICTER,
         _in(rb"^content-length[^\0]*^transfer-encoding|^transfer-encoding[^\0]*^content-length"),
         "RFC 9112 6.3: it ought to be handled as an error"),
    Kind("the same length twice", (HYPER,), STRICTER, _in(rb"^content-length:[^\0]*^content-length:"),
         "RFC 9112 6.3: it MAY be refused"),
    Kind("tab after the coding", (HYPER,), STRICTER, _in(rb"^transfer-encoding:.*chunked[ \t]*\t\r$"),
         "RFC 9110 5.5 takes it for a blank; it hides a coding from some, and nobody sends it"),
    Kind("another coding, or two", (HYPER,), STRICTER,
         _in(rb"^transfer-encoding:(?!\s*chunked\s*$)|^transfer-encoding:[^\0]*^transfer-encoding:"),
         "RFC 9112 6.1: one that is not understood is 501, and chunked is applied once"),
    Kind("blanks or letters in the size of a chunk", BOTH, STRICTER,
         _in(rb"^[0-9a-f]+(?=[ \t;])(?!(?:;[\w-]+(?:=(?:[\w-]+|\"[^\"]*\"))?)*\r$)"),
         "RFC 9112 7.1.1: extensions are tokens, and no sender may write blanks"),
    Kind("line feed alone after a chunk", (NGINX,), STRICTER, _has_half_a_line_end,
         "RFC 9112 7.1: CR and LF end it"),
    Kind("line of a trailer that is no field", (NGINX,), STRICTER,
         _in(rb"^0+[^\r\n]*\r\n(?:[\w-]+:[^\r\n]*\r\n)*(?![\w-]+:|\r\n)"),
         "RFC 9112 7.1.2: trailers are fields; nginx reads on to an empty line, whatever stands before it"),
    Kind("frame in a trailer", (NGINX,), STRICTER, _in(_TRAILER + rb"(?:content-length|transfer-encoding)\b"),
         "RFC 9110 6.5.1: it MUST NOT stand there"),
    Kind("connection in a trailer", BOTH, STRICTER, _in(_TRAILER + rb"connection:"),
         "RFC 9110 6.5.1: it MUST NOT stand there; llhttp minds it, and what follows is refused"),
    Kind("unknown expectation", BOTH, STRICTER,
         _in(rb"^expect:(?!\s*100-continue\s*$)|^expect:[^\0]*^expect:"),
         "RFC 9110 10.1.1: it MAY be refused, and is no list"),
    Kind("target in no form", BOTH, STRICTER, _line(rb"\S+ +(?!/|https?://|\* )|(?!OPTIONS)\S+ +\* "),
         "RFC 9112 3.2: there are four forms, and http and https alone are served"),
    Kind("bad authority in the target", BOTH, STRICTER, _has_bad_authority,
         "RFC 9112 3.2.2: it is the host; RFC 9110 4.2.4: without a user"),
    Kind("fragment in the target", BOTH, STRICTER, _line(rb"\S+ +[^ ]*#"),
         "RFC 9112 3.2.1: a target has none"),
    Kind("letter beyond ASCII in the target", (NGINX,), STRICTER, _line(rb"\S+ +[^ \r\n]*[\x80-\xff]"),
         "RFC 3986 2: it is to be encoded"),
    Kind("control character in a value", (NGINX,), STRICTER, _in(rb":.*[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"),
         "RFC 9110 5.5: values have none"),
    Kind("line that is no field", (NGINX,), STRICTER, _has_bad_field,
         "RFC 9112 5: nginx leaves it out, and with it the frame that it may have told"),
    Kind("another version", (NGINX,), STRICTER, _line(rb".* HTTP/1\.(?![01]\s)"),
         "RFC 9112 2.3: one digit, and none is known but 1.0 and 1.1"),
    Kind("blank after the version", (NGINX,), STRICTER, _line(rb".* HTTP/1\.[01][ \t]+\r\n"),
         "RFC 9112 3: nothing stands there"),
    Kind("no version", (NGINX,), SAID, _in(rb"^(?!.* HTTP/\d)"),
         "RFC 9112 2.3: nginx answers it as HTTP/0.9, which has no head"),
    Kind("tunnel", (HYPER,), SAID, _in(rb"CONNECT "),
         "RFC 9110 9.3.6: an origin need not have it; Granian closes, ours says 501"),
    Kind("answered before its body came", BOTH, TAKES_EARLY, _is_answered_early,
         "RFC 9110 15.5.14: the body is not read, and what is wrong in it ends the connection"),
    Kind("two blanks in the first line", (HYPER,), TAKES, _plain_with(rb"\A\S+ +\S+ +\S+\r\n"),
         "RFC 9112 3: a server MAY take them for one"),
    Kind("path that leads nowhere", (NGINX,), TAKES, _plain_with(rb"\A\S+ +\S*(?:\.\.|%)"),
         "RFC 3986 6.2.2: nginx normalises paths; ours are compared as they are, and not found"),
    Kind("trace", (NGINX,), TAKES, _plain_with(rb"\ATRACE "),
         "RFC 9110 9.3.8: nginx refuses the method, of ours the application does"),
    Kind("host that is no name", (NGINX,), TAKES, _plain_with(rb"^Host: (?:\.|a\.\.b)\r"),
         "RFC 3986 3.2.2: the grammar has it; nginx looks for a name"),
    Kind("empty host", (NGINX,), TAKES, _plain_with(rb"^Host:[ \t]*\r"),
         "RFC 9112 3.2: the host of a target without an authority is empty"),
    Kind("tab around a value", (NGINX,), TAKES, _plain_with(rb":[ \t]*\t|\t\r$"),
         "RFC 9110 5.5: it is a blank"),
    Kind("offered body that nobody reads", BOTH, ENDS, _in(rb"/unread[^\0]*^expect:"),
         "RFC 9110 10.1.1: it may never come, so that nothing can follow it"),
    Kind("Proxy-Connection", BOTH, ENDS, _in(rb"^proxy-connection:.*close"),
         "RFC 9112 C.2.2 has nobody send it; llhttp minds it, and a server may always close"),
    Kind("keep-alive as a part of a word", (NGINX,), ENDS,
         _in(rb"^connection:.*(?:keep-alive[ \t]*[^\s,]|[^\s,][ \t]*keep-alive)"),
         "RFC 9110 7.6.1: options are tokens; nginx looks for the letters"),
    Kind("close beside keep-alive", (NGINX,), ENDS, _in(rb"^connection:.*close[^\0]*^connection:.*keep-alive"),
         "RFC 9112 9.3: close prevails; for nginx the last field does"),
    Kind("close as a part of a word", (NGINX,), GOES_ON,
         _in(rb"^connection:.*(?:close[ \t]*[^\s,]|[^\s,][ \t]*close)"),
         "RFC 9110 7.6.1: options are tokens; nginx looks for the letters"),
]  # fmt: skip


def explain(difference: Difference) -> Kind | None:
    """Return the listed kind that allows the difference, or None."""
    verdicts = (difference.ours, difference.theirs)
    return next(
        (
            kind
            for kind in KINDS
            if difference.peer in kind.peers and verdicts in kind.verdicts and kind.shows(difference)
        ),
        None,
    )
