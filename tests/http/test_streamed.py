"""Response bodies that are generated while they are sent."""

import asyncio
import threading
import time
import weakref
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import httpx
import pytest

from balcao.core.http.dialects import ERROR_TEXT
from balcao.core.http.endpoint import PageEndpoint, Responding
from balcao.core.http.requests import Request
from balcao.core.http.responses import Response, stream_events, streamed
from balcao.gateway.application import Application
from balcao.gateway.gateway import Gateway, Mount
from balcao.gateway.limits import Limits
from tests.http.connection import Connection
from tests.support.polling import PATIENCE
from tests.support.server import RunningServer

CHUNK = b"x" * 65_536
# The body has far more chunks than the buffers can hold. The server notices a disconnection long before the last chunk.
MANY = 1_000_000
_STREAMS = {"/events": stream_events}


class Source:
    """A source of response bodies. It records how many chunks it has made, and whether the last body has ended.

    - `/late` responds once `released` is set.
    - `/held` sends its first chunk, and the second one once `released` is set.
    """

    reader: asyncio.Task[None] | None

    def __init__(self) -> None:
        self.made = 0
        self.arrived, self.released, self.ended = threading.Event(), threading.Event(), threading.Event()

    def respond(self, request: Request) -> Responding:
        self.made = 0
        self.released.clear()
        self.ended.clear()
        path = request.path.decode()
        return self._respond_late() if path == "/late" else _STREAMS.get(path, streamed)(self._chunks(path))

    async def _respond_late(self) -> Response[None]:
        self.arrived.set()
        await asyncio.to_thread(self.released.wait, PATIENCE)
        chunks = self._chunks("/short")
        weakref.finalize(chunks, self.ended.set)
        return streamed(chunks)

    async def _chunks(self, path: str) -> AsyncGenerator[bytes, None]:
        try:
            if path == "/held":
                self.arrived.set()
                yield CHUNK
                await asyncio.to_thread(self.released.wait, PATIENCE)
                yield CHUNK * 2
                return
            if path in {"/events", "/idle"}:
                yield b"first"
                await asyncio.Event().wait()
            for _ in range(3 if path == "/short" else MANY):
                self.made += 1
                self.reader = asyncio.current_task()
                await asyncio.sleep(0)  # as if it waited for a store
                yield CHUNK
                if path == "/cut":
                    raise ValueError("the source failed")
        finally:
            self.ended.set()


@pytest.fixture(scope="module")
def source() -> Source:
    return Source()


def _serve(source: Source) -> Application:
    pages = [
        (
            "GET",
            path,
            PageEndpoint("test", "stream", "GET", source.respond, lambda _, fault: ERROR_TEXT.response(fault)),
        )
        for path in ("/short", "/long", "/cut", "/idle", "/slow", "/events", "/held", "/late")
    ]
    return Application(Gateway([], Mount("test", "", pages, lambda _: ERROR_TEXT), nullcontext))


@pytest.fixture(scope="module")
def server(source: Source) -> Iterator[RunningServer]:
    with RunningServer(_serve(source)) as running:
        yield running


@pytest.fixture(scope="module")
def http(server: RunningServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as client:
        yield client


def test_a_body_in_parts_arrives_whole(http: httpx.Client, source: Source) -> None:
    answer = http.get("/short")
    assert (answer.status_code, answer.content) == (200, CHUNK * 3)
    assert answer.headers["Content-Type"] == "application/json"
    assert "Content-Length" not in answer.headers
    assert source.ended.is_set()


def test_without_a_reader_nothing_is_made(http: httpx.Client, source: Source) -> None:
    assert http.head("/short").content == b""
    assert source.made == 0


def test_no_more_is_made_than_is_read(http: httpx.Client, source: Source) -> None:
    with http.stream("GET", "/long") as answer:
        assert next(answer.iter_raw())
    assert source.ended.wait(PATIENCE)
    assert source.made < MANY


def test_a_body_that_fails_midway_is_cut_off_and_the_server_goes_on(http: httpx.Client, source: Source) -> None:
    with http.stream("GET", "/cut") as answer:
        parts = answer.iter_raw()
        assert CHUNK.startswith(next(parts))
        with pytest.raises(httpx.RemoteProtocolError):
            list(parts)
    assert http.get("/short").status_code == 200


def test_a_body_with_nothing_to_say_ends_when_its_reader_hangs_up(http: httpx.Client, source: Source) -> None:
    with http.stream("GET", "/idle") as answer:
        parts = answer.iter_raw()  # without this reference, the connection would close
        assert next(parts) == b"first"
        assert not source.ended.is_set()
    assert source.ended.wait(PATIENCE)


def test_a_body_whose_reader_left_before_it_began_is_not_made(server: RunningServer, source: Source) -> None:
    source.arrived.clear()
    leaving = Connection(server.port)
    leaving.send(b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    assert source.arrived.wait(PATIENCE)
    leaving.reset()
    for _ in range(2):  # the server has noticed the disconnection by then
        with Connection(server.port) as connection:
            connection.send(b"GET /unknown HTTP/1.1\r\nHost: a\r\n\r\n")
            assert connection.answer() == "404"
    source.released.set()
    assert source.ended.wait(PATIENCE)
    assert source.made == 0


def test_a_reader_who_does_not_read_can_be_cut_off(server: RunningServer, source: Source) -> None:
    with Connection(server.port) as connection:
        connection.send(b"GET /slow HTTP/1.1\r\nHost: a\r\n\r\n")
        made = -1
        while made != source.made or not made:  # a stable number shows that the sender waits
            made = source.made
            time.sleep(0.05)
        assert not source.ended.is_set()
        server.call(lambda: source.reader.cancel() if source.reader else None)
        assert source.ended.wait(PATIENCE)


def test_the_end_of_the_server_is_the_end_of_events(source: Source) -> None:
    """An idle stream of events ends immediately when the server stops, and its reader reconnects to another process."""
    limits = Limits(settling_seconds=0, drain_seconds=PATIENCE)
    with (
        RunningServer(_serve(source), limits=limits) as server,
        httpx.stream("GET", f"{server.url}/events", timeout=PATIENCE) as answer,
    ):
        parts = answer.iter_raw()
        assert next(parts) == b"first"
        server.stop()
        assert list(parts) == []


@pytest.mark.parametrize("path", ["/late", "/held"])
def test_a_body_arrives_whole_although_the_server_stops(source: Source, path: str) -> None:
    source.arrived.clear()
    with (
        RunningServer(_serve(source), limits=Limits(settling_seconds=0, drain_seconds=PATIENCE)) as server,
        Connection(server.port) as idle,
        ThreadPoolExecutor() as threads,
    ):
        answer = threads.submit(httpx.get, f"{server.url}{path}", timeout=PATIENCE)
        assert source.arrived.wait(PATIENCE)
        server.stop()
        assert idle.answers() == []  # the server drains
        source.released.set()
        assert answer.result().content == CHUNK * 3


def test_a_body_that_does_not_end_in_time_is_cut_off(source: Source) -> None:
    with (
        RunningServer(_serve(source), limits=Limits(settling_seconds=0, drain_seconds=0.1)) as server,
        httpx.stream("GET", f"{server.url}/idle", timeout=PATIENCE) as answer,
    ):
        parts = answer.iter_raw()
        assert next(parts) == b"first"
        server.stop()
        with pytest.raises(httpx.RemoteProtocolError):
            list(parts)
    assert source.ended.is_set()
