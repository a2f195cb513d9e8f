"""A client that sends raw bytes, and parses only the parts of responses that tests need."""

import contextlib
import select
import socket
import struct
from types import TracebackType
from typing import Self

from tests.support.polling import PATIENCE

# The value of SO_LINGER with which closing a socket sends a reset.
RESETS = struct.pack("ii", 1, 0)
_WITHOUT_BODY = ("100", "204", "304")


class Connection:
    """A connection to the server under test."""

    def __init__(self, port: int, source: str = "127.0.0.1") -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), PATIENCE, (source, 0))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._received = b""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        self._socket.close()

    def send(self, sent: bytes) -> None:
        """Send all bytes. Ignore the error if the server has already closed the connection."""
        try:
            self._socket.sendall(sent)
        except (BrokenPipeError, ConnectionResetError):
            return

    def send_while_read(self, sent: bytes, seconds: float) -> int:
        """Send until the server has read nothing for this many seconds. Return how many bytes it accepted."""
        self._socket.settimeout(seconds)
        size = 0
        with contextlib.suppress(TimeoutError):
            while size < len(sent):
                size += self._socket.send(sent[size : size + 65_536])
        self._socket.settimeout(PATIENCE)
        return size

    def finish(self) -> None:
        """Close the sending side of the connection."""
        self._socket.shutdown(socket.SHUT_WR)

    def reset(self) -> None:
        """Close the connection with a reset, even if there is unread data."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESETS)
        self._socket.close()

    def answer(self, *, to_head: bool = False) -> str | None:
        """Return the next response: its status and, for a 200, the body. Return None if the server has closed."""
        head = self._until(b"\r\n\r\n")
        if head is None:
            return None
        status = head[9:12].decode()
        if status in _WITHOUT_BODY:
            return status
        size = next(int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:"))
        body = b"" if to_head else self._exactly(size)
        return f"200 {body.decode()}" if status == "200" else status

    def answers(self, *, to_head: bool = False) -> list[str]:
        """Return all responses until the server closes. With `to_head`, the first request was a HEAD."""
        found: list[str] = []
        while (answer := self.answer(to_head=to_head and not found)) is not None:
            found.append(answer)
        return found

    def has_answer(self, within: float = 0) -> bool:
        """Return whether a part of the next response has arrived or arrives within this time."""
        return bool(self._received) or bool(select.select([self._socket], [], [], within)[0])

    def head(self) -> bytes | None:
        """Return the head of the next response."""
        return self._until(b"\r\n\r\n")

    def _until(self, end: bytes) -> bytes | None:
        while end not in self._received:
            if not self._more():
                assert not self._received, self._received
                return None
        found, _, self._received = self._received.partition(end)
        return found

    def _exactly(self, size: int) -> bytes:
        while len(self._received) < size:
            assert self._more(), "cut off"
        found, self._received = self._received[:size], self._received[size:]
        return found

    def _more(self) -> bool:
        try:
            received = self._socket.recv(65_536)
        except ConnectionResetError:
            return False
        self._received += received
        return bool(received)
