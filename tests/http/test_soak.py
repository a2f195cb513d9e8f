"""Many mixed requests, good, bad and broken off, leave the memory and the descriptors of the process where they were.

Only growth fails, however long it takes. The first requests fill caches and pools and are not counted.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from tests.http.connection import Connection
from tests.http.process import running
from tests.support.patience import until_now
from tests.support.sizes import report, size

REQUESTS = size(5_000, 1_000_000)
WARMING = REQUESTS // 4
# So many that the server and not the way to it is what is waited for.
CONNECTIONS = 16
ROUNDS = 10
# Of the allocator's fragmentation; a leak of 100 bytes in each request of the full size would be three times that.
ALLOWED_BYTES = 32 * 1024 * 1024

_HOST = b"Host: a\r\nAuthorization: Bearer nonsense\r\n"


def _get(path: bytes) -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + _HOST + b"\r\n"


def _post(path: bytes, fields: bytes, body: bytes) -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\n" + _HOST + fields + b"\r\n\r\n" + body


# Answered one after the other on one connection; none of them ends it.
KEPT = [
    _get(b"/liveness"),
    _get(b"/registry/v1/liveness"),
    _get(b"/registry/v1/citizen/52998224725/wallet?x=y"),
    _get(b"/registry/v1/no/such/path"),
    _get(b"/registry/v1/citizen%2F52998224725"),
    _get(b"/agent-docs/openapi.json"),
    _post(b"/search/x", b"Content-Length: 13", b'{"query":"a"}'),
    _post(b"/registry/v1/webhook", b"Transfer-Encoding: chunked", b'5\r\n{"a":\r\n2\r\n1}\r\n0\r\n\r\n'),
    _post(b"/jobs/x", b"Connection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: 2", b"{}"),
]
# Each ends its connection, by an answer or by the caller's leave.
BROKEN = [
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HT",
    b"GET / HTTP/1.1\r\nA: " + b"x" * 70_000 + b"\r\n\r\n",
    _post(b"/search/x", b"Content-Length: 50", b"half"),
    _post(b"/search/x", b"Transfer-Encoding: chunked", b"zz\r\n"),
]
BATCH = len(KEPT) * ROUNDS + len(BROKEN)


@pytest.fixture(scope="module")
def process(database_url: str) -> Iterator[tuple[psutil.Process, int]]:
    """Return the gateway's process and its port."""
    with running("tests.http.served", database_url) as process:
        yield process


def test_a_million_requests_leave_memory_and_descriptors_flat(process: tuple[psutil.Process, int]) -> None:
    child, port = process
    _call(port, WARMING)
    memory, files = _resident(child), child.num_fds()

    _call(port, REQUESTS - WARMING)

    grown = _resident(child) - memory
    until_now(lambda: child.num_fds() <= files + CONNECTIONS)
    report(f"{REQUESTS} requests: {grown / 1024 / 1024:+.1f} MB, {child.num_fds() - files:+d} descriptors")
    assert grown < ALLOWED_BYTES


def _call(port: int, requests: int) -> None:
    batches = requests // BATCH + 1
    with ThreadPoolExecutor(CONNECTIONS) as pool:
        list(pool.map(_batch, [port] * batches))


def _batch(port: int) -> None:
    with Connection(port) as connection:
        connection.send(b"".join(KEPT) * ROUNDS)
        for _ in range(ROUNDS * len(KEPT)):
            assert connection.answer() is not None
    for sent in BROKEN:
        with Connection(port) as connection:
            connection.send(sent)


def _resident(process: psutil.Process) -> int:
    resident: int = process.memory_info().rss
    return resident


def test_the_soft_limit_of_open_files_is_raised(process: tuple[psutil.Process, int]) -> None:
    child, _ = process
    soft, hard = child.rlimit(psutil.RLIMIT_NOFILE)
    assert soft == min(hard, 65_536) or soft > 65_536
