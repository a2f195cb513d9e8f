"""A proxy that a test can cut and restore, and that records the HTTP requests it forwards."""

import contextlib
import re
import socket
import threading
from types import TracebackType
from typing import Self

_CALL = re.compile(rb"([A-Z]+ /\S*) HTTP/1\.1\r\n")
_PIECE = 65_536


class Line:
    """A proxy from `port` to another port or socket of this machine, as a context manager.

    `calls` contains the HTTP requests so far, as "GET /path". While the proxy is cut, it closes every connection.
    """

    def __init__(self, port: int, target: int | str) -> None:
        """Forward to `target`, a port of this machine or the path of a Unix socket."""
        self.port = port
        self.calls: list[str] = []
        self._target = target
        self._is_cut = False
        self._fatal: tuple[str, str] | None = None
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._listening = socket.create_server(("127.0.0.1", port))

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.cut()
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()

    def cut(self) -> None:
        """Close all connections. Until `mend`, close each new connection immediately."""
        with self._lock:
            self._is_cut = True
            for one in self._open:
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)

    def cut_at(self, method: str, tail: str) -> None:
        """Cut the proxy when the next call with this method and this end of its path arrives. Do not forward it."""
        self._fatal = method, tail

    def mend(self) -> None:
        """Accept connections again."""
        with self._lock:
            self._is_cut, self._fatal = False, None

    def _accept(self) -> None:
        with contextlib.suppress(OSError):  # the listening socket is closed at the end
            while True:
                near, _ = self._listening.accept()
                with self._lock:
                    far = None if self._is_cut else self._reach()
                    if far is not None:
                        self._open |= {near, far}
                if far is None:
                    near.close()
                    continue
                threading.Thread(target=self._carry, args=(near, far, True), daemon=True).start()
                threading.Thread(target=self._carry, args=(far, near, False), daemon=True).start()

    def _reach(self) -> socket.socket | None:
        with contextlib.suppress(OSError):
            if isinstance(self._target, int):
                return socket.create_connection(("127.0.0.1", self._target))
            reached = socket.socket(socket.AF_UNIX)
            reached.connect(self._target)
            return reached
        return None

    def _carry(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        rest = b""
        with contextlib.suppress(OSError):
            while piece := source.recv(_PIECE):
                if counts:
                    before = len(self.calls)
                    rest = self._count(rest + piece)
                    if any(self._is_fatal(call) for call in self.calls[before:]):
                        self.cut()
                        break
                target.sendall(piece)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_RDWR)
        source.close()
        with self._lock:
            self._open.discard(source)

    def _is_fatal(self, call: str) -> bool:
        method, _, path = call.partition(" ")
        return self._fatal is not None and method == self._fatal[0] and path.endswith(self._fatal[1])

    def _count(self, read: bytes) -> bytes:
        """Record the requests in these bytes.

        Return the incomplete rest, which the caller puts in front of the next bytes.
        """
        found = list(_CALL.finditer(read))
        self.calls += [each[1].decode("latin-1") for each in found]
        return read[found[-1].end() if found else 0 :][-4_096:]
