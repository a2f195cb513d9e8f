"""Cases that do not fit in a table: pieces, half-closed sockets, deadlines, the connection limit, the shutdown."""

import gc
import socket
import sys
import threading
import warnings
import weakref
from collections import Counter

import pytest

from balcao.core.http.operations import MIB
from balcao.core.http.responses import RawHeaders
from balcao.gateway import listening
from balcao.gateway.limits import Limits
from tests.http.application import Echo
from tests.http.connection import Connection
from tests.support.server import RunningServer

GET = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"
LAST = b"GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"
CHUNKED = b"PUT /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\nT: t\r\n\r\n"
STREAM = POST + CHUNKED + LAST
HOPS = (socket.IPPROTO_IP, 21)  # IP_MINTTL
ANSWERS = ["200 POST / 5", "200 PUT /c 3", "200 GET /last 0"]


def test_requests_are_the_same_wherever_they_are_split(server: RunningServer) -> None:
    for place in range(1, len(STREAM)):
        with Connection(server.port) as connection:
            connection.send(STREAM[:place])
            connection.send(STREAM[place:])
            assert connection.answers() == ANSWERS, place


def test_requests_are_the_same_byte_by_byte(server: RunningServer) -> None:
    with Connection(server.port) as connection:
        for place in range(len(STREAM)):
            connection.send(STREAM[place : place + 1])
        assert connection.answers() == ANSWERS


def test_a_body_that_comes_between_two_answers_belongs_to_its_request(server: RunningServer) -> None:
    with Connection(server.port) as connection:
        connection.send(GET + POST[:-2])
        assert connection.answer() == "200 GET / 0"
        connection.send(POST[-2:] + LAST)
        assert connection.answers() == ["200 POST / 5", "200 GET /last 0"]


@pytest.mark.parametrize(
    ("first", "answers"),
    [
        pytest.param(GET.replace(b" / ", b" /fails "), ["500"], id="a failure"),
        pytest.param(POST.replace(b" / ", b" /fails "), ["500"], id="a failure beside a body"),
        pytest.param(LAST, ["200 GET /last 0"], id="a request to close"),
        pytest.param(
            b"POST /unread HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello",
            ["200 POST /unread 0"],
            id="a request to close whose body nobody reads",
        ),
        pytest.param(b"GET /\r\n", ["400"], id="a bad request"),
    ],
)
@pytest.mark.parametrize("then", [GET, POST, b"GET\r\n", b"\r\n"])
def test_nothing_is_served_after_the_last_response(
    caplog: pytest.LogCaptureFixture, first: bytes, answers: list[str], then: bytes
) -> None:
    echo = Echo()
    with RunningServer(echo) as running, Connection(running.port) as connection:
        connection.send(first + then)
        assert connection.answers() == answers
    assert len(echo.seen) == (answers != ["400"])
    assert [record for record in caplog.records if record.name == "asyncio"] == []


@pytest.mark.parametrize(
    ("sent", "possible"),
    [
        pytest.param(b"", [[]], id="nothing"),
        pytest.param(GET[:-2], [[]], id="half a head"),
        pytest.param(POST[:-2], [["400"], []], id="half a body"),
        pytest.param(CHUNKED[:-4], [["400"], []], id="no last chunk"),
        pytest.param(GET, [["200 GET / 0"], []], id="a whole request"),
        pytest.param(b"\r\n\r\n", [[]], id="line ends"),
    ],
)
def test_who_ends_sending_is_answered_or_let_go(server: RunningServer, sent: bytes, possible: list[list[str]]) -> None:
    """A server may treat a half-closed connection as closed, but it must not serve an incomplete request."""
    with Connection(server.port) as connection:
        connection.send(sent)
        connection.finish()
        assert connection.answers() in possible


def test_a_head_that_does_not_come_ends_the_connection(hasty: RunningServer) -> None:
    for sent in (b"", b"GET", GET[:-2]):
        with Connection(hasty.port) as connection:
            connection.send(sent)
            assert connection.answers() == []


def test_an_idle_connection_is_ended(hasty: RunningServer) -> None:
    with Connection(hasty.port) as connection:
        connection.send(GET)
        assert connection.answers() == ["200 GET / 0"]


def test_a_body_that_does_not_come_is_408(hasty: RunningServer) -> None:
    for sent in (POST[:-1], CHUNKED[:-2], POST[:-5]):
        with Connection(hasty.port) as connection:
            connection.send(sent)
            assert connection.answers() == ["408"]


def test_a_refusal_is_read_by_a_caller_that_is_still_sending(server: RunningServer) -> None:
    size = 4_000_000
    with Connection(server.port) as connection:
        connection.send(b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n" % size)
        connection.send(b"x" * size)
        assert connection.answer() == "200 POST /unread 0"


def chunked(size: int) -> bytes:
    """Return a body of this size in chunks of a thousand bytes, without the last chunk."""
    return b"".join(b"3e8\r\n%b\r\n" % (b"x" * 1000) for _ in range(size // 1000))


def test_a_large_body_of_a_refused_caller_is_answered_before_it_has_come(server: RunningServer) -> None:
    for framing, begun in (
        (b"Content-Length: 9000000", b""),
        (b"Content-Length: 9000000", b"x" * 20_000),
        (b"Content-Length: 9000000\r\nExpect: 100-continue", b""),
        (b"Transfer-Encoding: chunked", chunked(20_000)),
    ):
        with Connection(server.port) as connection:
            connection.send(b"POST /asked?0 HTTP/1.1\r\nHost: a\r\n%b\r\n\r\n%b" % (framing, begun))
            assert connection.answer() == "200 POST /asked?0 0", framing


def test_a_large_body_of_an_admitted_caller_is_read_whole(server: RunningServer) -> None:
    for framing, body in (
        (b"Content-Length: 200000", b"x" * 200_000),
        (b"Transfer-Encoding: chunked", chunked(200_000) + b"0\r\n\r\n"),
    ):
        with Connection(server.port) as connection:
            connection.send(b"POST /asked?200000 HTTP/1.1\r\nHost: a\r\n%b\r\n\r\n%b" % (framing, body) + LAST)
            assert connection.answers() == ["200 POST /asked?200000 200000", "200 GET /last 0"], framing


def test_a_body_beyond_what_was_admitted_is_not_kept(server: RunningServer) -> None:
    for framing, body in (
        (b"Content-Length: 200000", b"x" * 200_000),
        (b"Transfer-Encoding: chunked", chunked(200_000) + b"0\r\n\r\n"),
    ):
        with Connection(server.port) as connection:
            connection.send(b"POST /asked?100000 HTTP/1.1\r\nHost: a\r\n%b\r\n\r\n%b" % (framing, body) + LAST)
            assert connection.answers() == ["200 POST /asked?100000 0", "200 GET /last 0"], framing


def test_an_admitted_body_is_asked_for_once_it_is_admitted(server: RunningServer) -> None:
    with Connection(server.port) as connection:
        head = b"POST /asked?20000 HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\nExpect: 100-continue\r\n\r\n"
        connection.send(GET + head)
        assert [connection.answer(), connection.answer()] == ["200 GET / 0", "100"]
        connection.send(b"x" * 20_000 + LAST)
        assert connection.answers() == ["200 POST /asked?20000 20000", "200 GET /last 0"]


def test_a_small_body_is_read_without_a_question(server: RunningServer) -> None:
    with Connection(server.port) as connection:
        connection.send(b"POST /asked?0 HTTP/1.1\r\nHost: a\r\nContent-Length: 8000\r\n\r\n" + b"x" * 8000 + LAST)
        assert connection.answers() == ["200 POST /asked?0 8000", "200 GET /last 0"]


def test_a_caller_who_leaves_while_a_body_is_not_admitted_yet_harms_nobody(server: RunningServer) -> None:
    for _ in range(50):
        with Connection(server.port) as connection:
            connection.send(b"POST /asked?20000 HTTP/1.1\r\nHost: a\r\nContent-Length: 20000\r\n\r\n" + b"x" * 9000)
    with Connection(server.port) as connection:
        connection.send(LAST)
        assert connection.answers() == ["200 GET /last 0"]


def test_a_connection_that_is_reset_in_its_body_harms_nobody(server: RunningServer) -> None:
    for _ in range(50):
        with Connection(server.port) as connection:
            connection.send(POST[:-2])
    with Connection(server.port) as connection:
        connection.send(LAST)
        assert connection.answers() == ["200 GET /last 0"]


@pytest.mark.parametrize("path", [b"/waits", b"/waits?fails"])
def test_who_has_left_when_the_answer_is_there_makes_no_error(caplog: pytest.LogCaptureFixture, path: bytes) -> None:
    echo = Echo()
    with RunningServer(echo) as running:
        leaving = Connection(running.port)
        leaving.send(b"GET " + path + b" HTTP/1.1\r\nHost: a\r\n\r\n")
        assert echo.arrived.wait(20)
        leaving.reset()
        for _ in range(2):  # the server has noticed the earlier events by then
            with Connection(running.port) as connection:
                connection.send(LAST)
                assert connection.answers() == ["200 GET /last 0"]
        echo.released.set()
        assert echo.ended.wait(20)
    gc.collect()  # collecting a task reports its unread exception
    assert [record.message for record in caplog.records if record.name == "asyncio"] == []


def test_a_response_names_neither_the_server_nor_its_version(server: RunningServer) -> None:
    for sent in (LAST, b"GET\r\n\r\n", b"GET /fails HTTP/1.1\r\nHost: a\r\n\r\n"):
        with Connection(server.port) as connection:
            connection.send(sent)
            head = (connection.head() or b"").lower()
        assert b"granian" not in head
        assert b"hyper" not in head


def test_beyond_the_cap_callers_are_answered_503_until_somebody_leaves() -> None:
    limits = Limits(connections=2, settling_seconds=0, head_seconds=60)
    with RunningServer(Echo(), limits=limits) as running:
        with Connection(running.port) as one, Connection(running.port) as other:
            for held in (one, other):
                held.send(GET)
                assert held.answer() == "200 GET / 0"
            with Connection(running.port) as refused:
                assert refused.answers() == ["503"]
        with Connection(running.port) as next_one:
            next_one.send(LAST)
            assert next_one.answers() == ["200 GET /last 0"]


def test_who_waits_for_a_place_is_not_served_before_there_is_one() -> None:
    echo = Echo()
    with (
        RunningServer(echo, limits=Limits(connections=1, settling_seconds=0, head_seconds=60)) as running,
        Connection(running.port) as first,
        Connection(running.port) as held,
    ):
        first.send(GET)
        assert first.answer() == "200 GET / 0"
        held.send(LAST)
        assert held.answers() == ["503"]
    assert b"/last" not in echo.seen


def test_large_bodies_behind_a_slow_request_are_not_all_kept() -> None:
    """The server stops reading pipelined bodies behind a slow request, although each body alone is within the limit."""
    echo, body = Echo(), b"x" * 3 * MIB
    bodies = b"POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body) * 12
    with RunningServer(echo) as running, Connection(running.port) as connection:
        connection.send(b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
        assert echo.arrived.wait(20)
        taken = connection.send_while_read(bodies, 0.5)
        assert taken < len(bodies)
        echo.released.set()
        connection.send(bodies[taken:] + LAST)
        assert connection.answers() == ["200 GET /waits 0", *[f"200 POST /b {len(body)}"] * 12, "200 GET /last 0"]


def test_an_ended_connection_is_let_go_at_once() -> None:
    """The server frees a connection when it ends.

    Otherwise, a storm of short connections would occupy memory until the garbage collector runs.
    """
    gone = threading.Semaphore(0)

    class Watched(Echo):
        def find_caller(self, peer: str, fields: RawHeaders) -> str:
            weakref.finalize(sys._getframe(1).f_locals["self"], gone.release)  # the caller's `self` is the connection
            return super().find_caller(peer, fields)

    gc.disable()
    try:
        with RunningServer(Watched()) as running:
            for request in (GET, POST, LAST, POST[:-1]):
                with Connection(running.port) as connection:
                    connection.send(request)
                    connection.finish()
                    connection.answers()
                for _ in ("the connection", "its receiver"):
                    assert gone.acquire(timeout=20), request
    finally:
        gc.enable()


def test_at_the_end_what_is_in_flight_is_answered_and_nobody_new_is_accepted() -> None:
    echo = Echo()
    with (
        RunningServer(echo, limits=Limits(settling_seconds=0.05, drain_seconds=60)) as running,
        Connection(running.port) as waiting,
        Connection(running.port) as sending,
        Connection(running.port) as idle,
    ):
        idle.send(GET)
        assert idle.answer() == "200 GET / 0"
        sending.send(POST[:-1])
        waiting.send(b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
        assert echo.arrived.wait(20)
        running.stop()
        assert idle.answers() == []
        with pytest.raises(OSError, match=r"refused|timed out"):
            socket.create_connection(("127.0.0.1", running.port), 20)
        echo.released.set()
        sending.send(POST[-1:])
        assert waiting.answers() == ["200 GET /waits 0"]
        assert sending.answers() == ["200 POST / 5"]


def test_a_request_that_does_not_end_is_not_waited_for_longer_than_allowed() -> None:
    echo = Echo()
    with (
        RunningServer(echo, limits=Limits(settling_seconds=0, drain_seconds=0.1)) as running,
        Connection(running.port) as waiting,
    ):
        waiting.send(b"GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
        assert echo.arrived.wait(20)
        running.stop()
        echo.released.set()


def test_callers_who_leave_at_the_end_leave_nothing_behind() -> None:
    """Callers that disconnect during the shutdown leave no coroutine unawaited.

    Their requests are never started, because the event loop is about to end.
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(50):
            with RunningServer(Echo()) as running:
                callers = [Connection(running.port) for _ in range(8)]
                for caller in callers:
                    caller.send(GET)
                for caller in callers:
                    with caller:
                        pass
        gc.collect()
    assert [str(warning.message) for warning in said] == []


@pytest.mark.long
def test_no_accepted_connection_is_reset_at_the_end() -> None:
    """Callers that reconnect for every request either get a response or cannot connect."""
    seen: Counter[str] = Counter()

    def call_until_refused(port: int) -> None:
        while True:
            try:
                connection = Connection(port)
            except OSError:
                return
            with connection:
                connection.send(LAST)
                seen.update(connection.answers() or ["reset"])

    with RunningServer(Echo(), limits=Limits(settling_seconds=2, drain_seconds=20)) as running:
        callers = [threading.Thread(target=call_until_refused, args=(running.port,)) for _ in range(8)]
        for caller in callers:
            caller.start()
        running.stop()
        for caller in callers:
            caller.join()
    assert set(seen) <= {"200 GET /last 0"}


def test_a_connection_that_was_begun_before_the_end_can_go_on() -> None:
    """A connection inherits the listener's hop limit if its handshake completes after the listener got the limit.

    `remove_hop_limit_of_accepted` removes the limit, so that the caller's packets get through.
    """
    with socket.create_server(("127.0.0.1", 0)) as listener:
        caller = socket.create_connection(listener.getsockname())
        accepted, _ = listener.accept()
        with caller, accepted:
            accepted.setsockopt(*HOPS, 255)
            caller.send(b"sent before and after")
            listening.remove_hop_limit_of_accepted()
            accepted.settimeout(20)
            assert accepted.recv(100) == b"sent before and after"
