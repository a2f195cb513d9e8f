"""A server on the loopback address that stands for a machine in the city's own network."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.polling import until_now


@dataclass
class InnerServer:
    """A server that counts its connections and closes them."""

    port: int
    connections: int = 0

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def require_unused(self) -> None:
        """Connect once, and check that this is the only connection that the server received."""
        before = self.connections
        socket.create_connection(("127.0.0.1", self.port)).close()
        until_now(lambda: self.connections > before)
        assert self.connections == 1


@contextmanager
def listening() -> Iterator[InnerServer]:
    """Run an inner server."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = InnerServer(listener.getsockname()[1])
        threading.Thread(target=_accept, args=(listener, server), daemon=True).start()
        yield server
        listener.shutdown(socket.SHUT_RDWR)  # ends `accept`


def _accept(listener: socket.socket, server: InnerServer) -> None:
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        server.connections += 1
        connection.close()
