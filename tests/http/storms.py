"""Storms of callers who send almost nothing, read almost nothing, or reset their connections."""

import contextlib
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import NamedTuple, Self

from tests.http.connection import RESETS, Connection
from tests.http.requests import OK, THEN
from tests.support.polling import PATIENCE, until_now

_GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
_POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
_CHUNKED = _POST + b"Transfer-Encoding: chunked\r\n\r\n"


class Phase(NamedTuple):
    """How a caller behaves: it sends `sent`, repeats `piece`, and reads part of a response if `is_answered`."""

    name: str
    sent: bytes
    piece: bytes = b""
    is_answered: bool = False


SLOW = [
    Phase("line", b"GET /", b"a"),
    Phase("head", _GET[:-2] + b"A: ", b"b"),
    Phase("fields", _GET[:-2], b"A: b\r\n"),
    Phase("body", _POST + b"Content-Length: 1000000\r\n\r\n", b"a"),
    Phase("chunks", _CHUNKED, b"1\r\na\r\n"),
    Phase("size", _CHUNKED + b"1", b";"),
    Phase("trailer", _CHUNKED + b"0\r\nA: ", b"b"),
    Phase("idle", _GET, is_answered=True),
    Phase("reader of a large answer", b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"),
    Phase("reader of events", b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n"),
    Phase("reader of many answers", b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n" * 1000),
]
RESET = [
    Phase("nothing sent", b""),
    Phase("line", b"GET /"),
    Phase("head", _GET[:-2]),
    Phase("body not begun", _POST + b"Content-Length: 1000000\r\n\r\n"),
    Phase("body", _POST + b"Content-Length: 1000000\r\n\r\n" + b"a" * 400_000),
    Phase("chunks", _CHUNKED + b"5\r\nhel"),
    Phase("body asked for", _POST + b"Content-Length: 5\r\nExpect: 100-continue\r\n\r\n", is_answered=True),
    Phase("early answer", b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n", is_answered=True),
    Phase("refusal", b"GET\r\n\r\n", is_answered=True),
    Phase("before an answer", b"GET /later HTTP/1.1\r\nHost: a\r\n\r\n"),
    Phase("between answers", _GET * 50, is_answered=True),
    Phase("large answer", b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n", is_answered=True),
    Phase("large answer unread", b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n"),
    Phase("events", b"GET /events HTTP/1.1\r\nHost: a\r\n\r\n", is_answered=True),
    Phase("idle", _GET, is_answered=True),
]


class Storm:
    """Many callers in one phase, as a context manager. When it exits, they reset or close their connections."""

    def __init__(self, port: int, phase: Phase, callers: int, *, resets: bool) -> None:
        self._phase = phase
        self._resets = resets
        self._callers = [_connect(port) for _ in range(callers)]

    def __enter__(self) -> Self:
        self._each(lambda caller: caller.sendall(self._phase.sent))
        if self._phase.is_answered:
            self._each(lambda caller: caller.recv(1000))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        for caller in self._callers:
            if self._resets:
                caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
            caller.close()

    def send_on(self) -> None:
        """Send each caller's piece once more."""
        if self._phase.piece:
            self._each(lambda caller: caller.send(self._phase.piece))

    def _each(self, act: Callable[[socket.socket], object]) -> None:
        for caller in self._callers:
            with contextlib.suppress(ConnectionError):  # the server may have closed the connection
                act(caller)


def _connect(port: int) -> socket.socket:
    caller = socket.socket()
    caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the kernel rounds this up to its minimum
    caller.settimeout(PATIENCE)
    caller.connect(("127.0.0.1", port))
    return caller


class Honest:
    """Two well-behaved callers that call until the end of the block.

    One reuses its connection, and the other reconnects for each call.
    """

    def __init__(self, port: int) -> None:
        self.answered = 0
        self._port = port
        self._kept = Connection(port)
        self._ended = threading.Event()
        self._callers = [
            threading.Thread(target=self._call, args=(ask,)) for ask in (self._ask_on_one, self._ask_on_another)
        ]

    def __enter__(self) -> Self:
        for caller in self._callers:
            caller.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        is_wrong = self._ended.is_set()
        self._ended.set()
        for caller in self._callers:
            caller.join()
        self._kept.__exit__(kind, value, where)
        assert not is_wrong

    def until_answered(self, more: int = 5) -> None:
        """Wait until this many more calls have succeeded or one has failed."""
        wanted = self.answered + more
        until_now(lambda: self.answered >= wanted or self._ended.is_set())

    def _call(self, ask: Callable[[], None]) -> None:
        try:
            while not self._ended.is_set():
                ask()
                self.answered += 1
        finally:
            self._ended.set()

    def _ask_on_one(self) -> None:
        self._kept.send(_GET)
        assert self._kept.answer() == OK

    def _ask_on_another(self) -> None:
        with Connection(self._port) as connection:
            connection.send(LAST)
            assert connection.answers() == [THEN]
