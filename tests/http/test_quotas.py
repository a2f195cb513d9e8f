"""No caller can use up the connections, or the memory for bodies, that other callers need."""

import contextlib
import tracemalloc
from collections import Counter
from collections.abc import Iterator
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from balcao.core.http.operations import MIB
from balcao.gateway import discarding, receiving
from balcao.gateway.application import Served
from balcao.gateway.exchanges import Exchange, Refusal
from balcao.gateway.limits import Limits
from balcao.gateway.quotas import Quota
from balcao.gateway.receiving import Answering, Receiver
from tests.http.application import Echo
from tests.http.connection import Connection
from tests.support.proof_sizes import EXAMPLES
from tests.support.server import RunningServer

TRUSTED, GREEDY, POLITE = "127.0.0.1", "127.0.0.2", "127.0.0.3"
GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
TOTAL = 100
# An address may use at most a quarter of its group's limit, so two bodies of this size are too many.
BODIES = Limits(settling_seconds=0, body_bytes=8 * MIB)
LARGE = MIB + 100_000


def post(path: bytes, size: int, sent: int | None = None) -> bytes:
    """Return a request with the first `sent` bytes of its body, or with the whole body."""
    head = b"POST %b HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % (path, size)
    return head + b"x" * (size if sent is None else sent)


def ask(port: int, source: str, request: bytes = GET) -> str | None:
    with Connection(port, source) as connection:
        connection.send(request)
        return connection.answer()


def wait_until_read(port: int) -> None:
    """Wait until the server has read the large body sent on another connection.

    Each response takes at least one iteration of the event loop, in which the server reads from every connection.
    """
    with Connection(port, POLITE) as connection:
        for _ in range(2 * LARGE // BODIES.head_bytes):
            connection.send(GET)
            assert connection.answer() == "200 GET / 0"


@pytest.fixture
def full() -> Iterator[tuple[RunningServer, Connection]]:
    """Yield a server and a connection.

    The connection comes from the greedy address, and has sent all but one byte of a large body.
    """
    with RunningServer(Echo(), limits=BODIES) as server, Connection(server.port, GREEDY) as holding:
        holding.send(post(b"/held", LARGE, LARGE - 1))
        wait_until_read(server.port)
        yield server, holding


# ---- the rule -------------------------------------------------------------------------------------------------------


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(st.sampled_from(["a", "b", "c", "t", "u"]), st.integers(1, 40), st.booleans()), max_size=60))
def test_nobody_holds_more_than_a_fair_share(steps: list[tuple[str, int, bool]]) -> None:
    quota, held = Quota(TOTAL, "tu".__contains__, 15), Counter[str]()
    for address, amount, is_taken in steps:
        if not is_taken:
            returned = min(amount, held[address])
            quota.release(address, returned)
            held[address] -= returned
        elif quota.reserve(address, amount):
            held[address] += amount
            trusted = held["t"] + held["u"]
            assert held.total() <= TOTAL
            assert max(trusted, held.total() - trusted) <= TOTAL * 3 / 4
            if address not in "tu":
                assert held[address] <= 15
        assert quota.held == held.total()


def test_a_newcomer_finds_something_however_many_addresses_take_all_they_can() -> None:
    quota = Quota(4096, lambda _: False, 256)
    for number in range(25):
        while quota.reserve(f"192.0.2.{number}", 1):
            pass
    assert quota.reserve("198.51.100.1", 1)


def test_trusted_callers_find_a_quarter_free_whatever_the_others_hold() -> None:
    quota = Quota(TOTAL, "t".__eq__)
    for number in range(TOTAL):
        while quota.reserve(f"192.0.2.{number}", 1):
            pass
    assert quota.reserve("t", TOTAL // 4)


# ---- connections ----------------------------------------------------------------------------------------------------


def test_a_portal_with_500_connections_is_served() -> None:
    with RunningServer(Echo()) as server, contextlib.ExitStack() as opened:
        for _ in range(500):
            connection = opened.enter_context(Connection(server.port, TRUSTED))
            connection.send(GET)
            assert connection.answer() == "200 GET / 0"
        assert ask(server.port, POLITE) == "200 GET / 0"


def test_an_address_with_too_many_connections_is_answered_503_and_the_others_are_served() -> None:
    limits = Limits(settling_seconds=0, address_connections=5)
    with RunningServer(Echo(), limits=limits) as server:
        with contextlib.ExitStack() as opened:
            for _ in range(5):
                connection = opened.enter_context(Connection(server.port, GREEDY))
                connection.send(GET)
                assert connection.answer() == "200 GET / 0"
            with Connection(server.port, GREEDY) as refused:
                refused.send(GET)
                head = refused.head() or b""
            assert head.startswith(b"HTTP/1.1 503 ")
            assert b"\r\nretry-after: 1" in head
            assert ask(server.port, POLITE) == "200 GET / 0"
        with Connection(server.port, GREEDY) as again:
            again.send(LAST)
            assert again.answers() == ["200 GET /last 0"]


def test_an_address_that_wants_all_connections_leaves_places_for_another() -> None:
    limits = Limits(settling_seconds=0, connections=64)
    with RunningServer(Echo(), limits=limits) as server, contextlib.ExitStack() as opened:
        for _ in range(400):
            with contextlib.suppress(OSError):
                opened.enter_context(Connection(server.port, GREEDY))
        for _ in range(8):
            connection = opened.enter_context(Connection(server.port, POLITE))
            connection.send(GET)
            assert connection.answer() == "200 GET / 0"
        assert ask(server.port, TRUSTED) == "200 GET / 0"


# ---- bodies ---------------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_unfinished_bodies_beyond_an_addresss_share_are_503(full: tuple[RunningServer, Connection]) -> None:
    server, holding = full
    with Connection(server.port, GREEDY) as refused:
        refused.send(post(b"/more", 16 * MIB, LARGE))
        head = refused.head() or b""
    assert head.startswith(b"HTTP/1.1 503 ")
    assert b"\r\nretry-after: 1" in head
    assert b"\r\nconnection: close" in head
    holding.send(b"x")
    assert holding.answer() == f"200 POST /held {LARGE}"


@pytest.mark.long
@pytest.mark.parametrize("pause", [discarding.SHORTEST_PAUSE, 0])
def test_nothing_more_is_read_of_a_body_beyond_the_share(
    full: tuple[RunningServer, Connection], monkeypatch: pytest.MonkeyPatch, pause: float
) -> None:
    """Unlike after other refusals, the server does not read the rest of this body.

    A flood of such bodies would occupy it.
    """
    server, _ = full
    monkeypatch.setattr(discarding, "SHORTEST_PAUSE", pause)  # with 0, as if many bodies were discarded
    with Connection(server.port, GREEDY) as refused:
        refused.send(post(b"/more", 16 * MIB, LARGE))
        assert (refused.head() or b"").startswith(b"HTTP/1.1 503 ")
        assert refused.send_while_read(b"x" * 64 * MIB, 0.5) < 32 * MIB


@pytest.mark.parametrize("source", [TRUSTED, POLITE])
def test_who_fills_the_memory_for_bodies_stops_nobody_else(full: tuple[RunningServer, Connection], source: str) -> None:
    server, _ = full
    assert ask(server.port, source, post(b"/", 500_000)) == "200 POST / 500000"


def test_small_bodies_are_served_whatever_is_held(full: tuple[RunningServer, Connection]) -> None:
    server, _ = full
    assert ask(server.port, GREEDY, post(b"/", 16_384)) == "200 POST / 16384"


@pytest.mark.long
def test_all_bodies_together_take_no_more_than_the_process_has_for_them() -> None:
    with RunningServer(Echo(), limits=BODIES) as server, contextlib.ExitStack() as opened:
        for number in range(40):
            connection = opened.enter_context(Connection(server.port, f"127.0.1.{number}"))
            connection.send(post(b"/", 800_000, 799_999))
        refused = 0
        for number in range(40):
            refused += ask(server.port, f"127.0.1.{number}", post(b"/", 800_000, 799_999)) == "503"
        assert refused >= 30
        assert ask(server.port, TRUSTED, post(b"/", 800_000)) == "200 POST / 800000"


@pytest.mark.parametrize(
    ("sent", "answers"),
    [
        pytest.param([post(b"/", LARGE)], ["200"], id="answered"),
        pytest.param([post(b"/", LARGE, LARGE - 1)], [], id="reset"),
        pytest.param([post(b"/fails", LARGE)], ["500"], id="failed"),
        pytest.param([post(b"/none", LARGE)], ["204"], id="answered without a body"),
        pytest.param(
            [b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % LARGE, b"x" * LARGE, b"no"],
            ["400"],
            id="malformed",
        ),
        pytest.param(
            [post(b"/", LARGE).replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")], ["200"], id="the last"
        ),
        pytest.param([LAST, post(b"/", LARGE, LARGE - 1)], ["200"], id="after the last"),
    ],
)
def test_what_a_body_took_is_given_back(sent: list[bytes], answers: list[str]) -> None:
    with RunningServer(Echo(), limits=BODIES) as server:
        for _ in range(3):
            with Connection(server.port, GREEDY) as connection:
                for part in sent:
                    connection.send(part)
                for expected in answers:
                    assert (connection.answer() or "")[:3] == expected
                connection.reset()
        while ask(server.port, GREEDY, post(b"/", LARGE)) == "503":
            pass  # the server notices a reset late; a leak makes this time out


def test_what_a_body_took_is_given_back_when_it_times_out() -> None:
    limits = Limits(settling_seconds=0, body_bytes=8 * MIB, body_seconds=0.2)
    with RunningServer(Echo(), limits=limits) as server:
        assert ask(server.port, GREEDY, post(b"/", LARGE, LARGE - 1)) == "408"
        assert ask(server.port, GREEDY, post(b"/", LARGE)) == f"200 POST / {LARGE}"


@pytest.mark.long
def test_bodies_that_wait_behind_a_slow_request_of_a_caller_who_leaves_are_given_back() -> None:
    echo = Echo()
    with RunningServer(echo, limits=BODIES) as server:
        with Connection(server.port, GREEDY) as leaving:
            leaving.send(b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n" + post(b"/", LARGE))
            assert echo.arrived.wait(20)
            wait_until_read(server.port)
            assert ask(server.port, GREEDY, post(b"/", LARGE)) == "503"
            leaving.reset()
        while ask(server.port, GREEDY, post(b"/", LARGE)) == "503":
            pass
        echo.released.set()
        assert b"/" in echo.seen


def test_a_body_in_small_chunks_takes_little_more_than_its_size() -> None:
    class Taking:
        is_full = False
        taken: Exchange | Refusal | None = None

        def enqueue(self, item: Exchange | Refusal) -> None:
            self.taken = item

        def wait(self, _: float) -> None:
            return

        def continue_body(self) -> None:
            return

    taking = Taking()
    bodies = Quota(64 * MIB, lambda _: True)
    receiver = Receiver(cast("Served", Echo()), Limits(), bodies, TRUSTED, cast("Answering", taking))
    receiver.receive(memoryview(b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"))
    chunks = memoryview(b"8\r\nabababab\r\n" * 1024)
    tracemalloc.start()
    try:
        for _ in range(128):
            receiver.receive(chunks)
        traced = tracemalloc.take_snapshot().statistics("filename")
    finally:
        tracemalloc.stop()
    held = sum(each.size for each in traced if each.traceback[0].filename == receiving.__file__)
    assert MIB <= held < 1.5 * MIB
    assert MIB <= bodies.held + 16_384 <= MIB + 65_536
    receiver.receive(memoryview(b"0\r\n\r\n"))
    assert isinstance(taking.taken, Exchange)
    assert taking.taken.request.content == b"ab" * (MIB // 2)


def test_a_body_in_chunks_of_two_bytes_is_refused_unless_it_is_short() -> None:
    head, chunk = b"POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", b"2\r\nab\r\n"
    with RunningServer(Echo()) as server:
        assert ask(server.port, GREEDY, head + chunk * 2_000 + b"0\r\n\r\n") == "200 POST / 4000"
        assert ask(server.port, GREEDY, head + chunk * 9_000) == "400"
