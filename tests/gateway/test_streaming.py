"""Responses whose body is made while it is sent."""

import socket
import threading
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from balcao.core.http.responses import Response, streamed_attachment
from tests.support.patience import PATIENCE
from tests.support.server import RunningServer
from tests.support.serving import handlers

# Far more than any buffer on the way holds, and than can be made before the server learns that the caller is gone.
CHUNKS, CHUNK = 500_000, b"x" * 65_536


class Source:
    """Counts the chunks it made, and says when it was closed."""

    def __init__(self) -> None:
        self.made = 0
        self.closed = threading.Event()

    async def all(self) -> AsyncIterator[bytes]:
        try:
            for _ in range(CHUNKS):
                self.made += 1
                yield CHUNK
        finally:
            self.closed.set()


async def _few() -> AsyncIterator[bytes]:
    for part in (b"um ", b"dois"):
        yield part


async def _failing() -> AsyncIterator[bytes]:
    yield b"um"
    raise RuntimeError


@pytest.fixture(scope="module")
def source() -> Source:
    return Source()


@pytest.fixture(scope="module")
def server(source: Source) -> Iterator[RunningServer]:
    streams = {"/few": _few, "/many": source.all, "/failing": _failing}

    def respond(name: str) -> Response[str]:
        return streamed_attachment(streams[name](), "a.txt", "text/plain")

    app = handlers({("GET", name): lambda request: respond(request.path.decode()) for name in streams})
    with RunningServer(app) as running:
        yield running


def test_the_parts_are_one_body_and_the_connection_goes_on(server: RunningServer) -> None:
    with httpx.Client(base_url=server.url) as client:
        for _ in range(3):
            answer = client.get("/few")
            assert (answer.text, answer.headers["content-disposition"]) == ("um dois", 'attachment; filename="a.txt"')
            assert "content-length" not in answer.headers
        assert client.head("/few").content == b""


def test_a_caller_who_leaves_ends_what_is_made_for_them(server: RunningServer, source: Source) -> None:
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall(b"GET /many HTTP/1.1\r\nHost: a\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 200")
    assert source.closed.wait(PATIENCE)
    assert source.made < CHUNKS


def test_a_body_that_breaks_off_is_not_taken_for_a_whole_one(server: RunningServer) -> None:
    with pytest.raises(httpx.RemoteProtocolError):
        httpx.get(f"{server.url}/failing")
