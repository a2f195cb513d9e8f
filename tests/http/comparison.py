"""Compares how two servers interpret the same bytes on a connection."""

import re
import socket
from collections.abc import Sequence
from contextlib import ExitStack
from itertools import accumulate
from typing import NamedTuple

from tests.http.streams import LAST
from tests.support.polling import PATIENCE

# A server that sends nothing for this long counts as finished. A repeated comparison waits LATE.
SOON, LATE = 0.05, 5.0
_HEAD = re.compile(rb"HTTP/1\.[01] (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n")
_SEEN = re.compile(rb"^seen: (\S+)\r$", re.IGNORECASE | re.MULTILINE)

TAKEN, REFUSED, CLOSED = "taken", "refused", "closed"


class Seen(NamedTuple):
    """A request as the application received it."""

    method: bytes
    target: bytes
    body: bytes


class Outcome(NamedTuple):
    """The accepted requests, and the status of the refusal after them, or None if there was no refusal."""

    seen: tuple[Seen, ...]
    status: int | None

    def verdict(self, number: int) -> str:
        """Return the verdict on this request: accepted, refused, or the connection closed before it."""
        if number < len(self.seen):
            return TAKEN
        return CLOSED if self.status is None else REFUSED


class Difference(NamedTuple):
    """The first request on which another server disagrees with ours.

    `taken` is the request as a server accepted it, if one of them did, and `head` is its head. `around` contains the
    bytes from the previous request to the end of the next one. `after` is our server's verdict on the next request.
    """

    peer: str
    ours: str
    theirs: str
    after: str
    taken: Seen
    head: bytes
    around: bytes


def send(pieces: Sequence[bytes], ports: Sequence[int], quiet_seconds: float) -> list[Outcome]:
    """Send the pieces to all servers, and return the outcomes in the order of the ports."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(_connect(port)) for port in ports]
        for piece in pieces:
            for each in sockets:
                _send(each, piece)
        return [_parse(_receive(each, quiet_seconds)) for each in sockets]


def _connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def _send(connection: socket.socket, piece: bytes) -> None:
    try:
        connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        return  # the server has closed, but its responses can still be read


def _receive(connection: socket.socket, quiet_seconds: float) -> bytes:
    """Return everything that the server sends. If it falls silent, close our sending side and continue to read."""
    received = b""
    connection.settimeout(quiet_seconds)
    while True:
        try:
            piece = connection.recv(65_536)
        except TimeoutError:
            connection.settimeout(PATIENCE)
            connection.shutdown(socket.SHUT_WR)
        except ConnectionResetError:
            return received
        else:
            if not piece:
                return received
            received += piece


def _parse(received: bytes) -> Outcome:
    """Return the requests up to the first refusal. Anything after a refusal is ignored."""
    seen = []
    for head in _HEAD.finditer(received):
        status, said = int(head[1]), _SEEN.search(head[2])
        if said:
            seen.append(Seen(*(bytes.fromhex(part.decode()) for part in said[1].split(b"-"))))
        elif status >= 400:
            return Outcome(tuple(seen), status)
    return Outcome(tuple(seen), None)


def _find_number(ours: Outcome, other: Outcome) -> int | None:
    """Return the index of the first request with different results, or None."""
    if ours.seen == other.seen and ours.verdict(len(ours.seen)) == other.verdict(len(ours.seen)):
        return None
    return next(
        (number for number, (one, two) in enumerate(zip(ours.seen, other.seen, strict=False)) if one != two),
        min(len(ours.seen), len(other.seen)),
    )


def find_differences(requests: list[bytes], ours: Outcome, others: dict[str, Outcome]) -> list[Difference]:
    """Return the first difference from each other server, if there is one."""
    found = []
    for peer, other in others.items():
        number = _find_number(ours, other)
        if number is not None:
            verdicts = ours.verdict(number), other.verdict(number), ours.verdict(number + 1)
            seen = max(ours.seen, other.seen, key=len)[: number + 1]
            taken = seen[number] if len(seen) > number else Seen(b"", b"", b"")
            found.append(Difference(peer, *verdicts, taken, *_find_bytes([*requests, LAST], seen, number)))
    return found


def _find_bytes(requests: list[bytes], seen: tuple[Seen, ...], number: int) -> tuple[bytes, bytes]:
    """Return the head of request `number`, and the bytes sent from the request before it to the request after it."""
    sent = b"".join(requests)
    starts, ends = [0], [0]
    for each in seen:
        line = re.compile(re.escape(each.method) + rb" +\S*?" + re.escape(each.target[1:])).search(sent, ends[-1])
        starts.append(line.start() if line else ends[-1])
        ends.append(max(sent.find(b"\r\n\r\n", line.end()), line.end()) + len(each.body) if line else ends[-1])
    # If neither server accepted the request, its end is unknown. Use the end of the next generated request.
    made = list(accumulate(len(request) for request in requests))
    last = sum(end <= ends[number] for end in made) + 1
    start = starts[number + 1] if len(seen) > number else ends[number]
    return sent[start:].partition(b"\r\n\r\n")[0] + b"\r\n", sent[starts[number] : made[min(last, len(made) - 1)]]
