"""Streams in our sync and async Python clients resume after their last event when the connection breaks."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import pytest

from tests.clients.layer import Calling, answer
from tests.support.http_receiver import Answer, Receiver

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

EVENTS = {"Content-Type": "text/event-stream"}


def stream(text: str) -> Answer:
    return Answer(200, text.encode(), EVENTS)


ENDED = answer(403, {"detail": "Fim."}, Error_Code="forbidden")


class Silence:
    """A platform that sends one event of a stream and then nothing, without closing the connection."""

    def __init__(self) -> None:
        self.last_ids: list[str | None] = []
        self._over = threading.Event()
        silence = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                silence.last_ids.append(self.headers["Last-Event-ID"])
                number = len(silence.last_ids)
                self.send_response(200 if number < 3 else 403)
                self.send_header("Content-Type", "text/event-stream" if number < 3 else "application/json")
                self.end_headers()
                if number < 3:
                    self.wfile.write(f"id: {number}\ndata: {number}\n\n".encode())
                    silence._over.wait()

            def log_message(self, *_: Any) -> None:
                """Write no log."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def silence() -> Iterator[Silence]:
    with Silence() as silent:
        yield silent


def follow(client: Any, call: Calling, found: list[Any], **options: Any) -> Any:
    """Read the stream until the platform refuses it, append its events to `found`, and return the refusal."""
    at = {"at": options.pop("at")} if "at" in options else {}

    def act(balcao: Any) -> Any:
        events = balcao.health_units.stream_changes(**options)

        def read() -> Iterator[Any]:
            for event in events:
                found.append(event)
                yield event

        async def read_awaited() -> Any:
            async for event in events:
                found.append(event)
                yield event

        return read() if isinstance(events, Iterator) else read_awaited()

    with pytest.raises(client.faults.Fault) as refused:
        call(act, **at)
    return refused.value


def test_a_stream_is_read_as_the_standard_has_it(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    """The client accepts every line ending of the standard. Other separators do not end a line."""
    text = {"nota": "uma linha\u2028ou\x85\x0cduas"}
    sent = (
        ": a comment\r\n\r\n"
        "event: mudanca\r\nid: 7\r\ndata: 1\rdata: 2\n\n"
        "unknown: x\nretry: 5\ndata\n\n"
        f"id: 8\ndata:{json.dumps(text, ensure_ascii=False)}\n\n"
        "data: not ended"
    )
    platform.answers += [stream(sent), ENDED]
    events: list[Any] = []
    follow(client, call, events, last_event_id="6")
    assert [(each.name, each.data, each.id) for each in events[:2]] == [("mudanca", "1\n2", "7"), ("message", "", "7")]
    assert (events[2].decode(), events[2].id, len(events)) == (text, "8", 3)
    assert platform.received[0].headers["last-event-id"] == "6"


def test_a_stream_that_is_refused_says_why(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = answer(410, {"error": "Recomece."}, Error_Code="cursor-gone")
    with pytest.raises(client.faults.Fault) as refused:
        call(lambda balcao: balcao.health_units.stream_changes())
    assert refused.value.code == "cursor-gone"


def test_a_stream_that_ends_or_breaks_is_continued_after_its_last_event(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    """The client ignores the id of an incomplete event.

    Otherwise the client would resume after the event and lose it.
    """
    platform.answers += [
        stream("retry: 2000\nid: 5\n\n"),
        stream("id: 6\ndata: a\n\nid: 7\ndata: cut o"),
        answer(503, Retry_After="9"),
        stream("id: 7\ndata: whole\n\n"),
        ENDED,
    ]
    events: list[Any] = []
    follow(client, call, events)
    assert [(each.id, each.data) for each in events] == [("6", "a"), ("7", "whole")]
    last_ids = [sent.headers.get("last-event-id") for sent in platform.received]
    assert last_ids == [None, "5", "6", "6", "7"]
    assert waits[2] == 9
    for waited in (waits[0], waits[1], waits[3]):
        assert 1 <= waited <= 2  # the server's delay, with jitter


def test_a_stream_that_falls_silent_is_opened_again(
    client: Any, call: Calling, silence: Silence, waits: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The platform sends a comment every 15 seconds, so a longer silence means that the connection is dead."""
    assert client.transport.SILENCE == 45
    monkeypatch.setattr("balcao_client.transport.SILENCE", 0.05)
    events: list[Any] = []
    follow(client, call, events, at=silence.url)
    assert [each.data for each in events] == ["1", "2"]
    assert silence.last_ids == [None, "1", "2"]


def test_a_platform_that_stays_away_ends_the_stream(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    platform.answers.append(stream("id: 1\ndata: a\n\n"))
    platform.usual = answer(503)
    follow(client, call, [])
    assert len(platform.received) == 1 + 3


def test_a_stream_that_ends_whenever_it_is_opened_is_not_opened_for_ever(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    platform.usual = stream("")
    with pytest.raises(client.faults.ConnectionFailed, match="without an event"):
        call(lambda balcao: balcao.health_units.stream_changes())
    assert len(platform.received) == 4


def test_a_stream_of_a_ticket_ends_with_its_connection(call: Calling, platform: Receiver, waits: list[float]) -> None:
    """A ticket opens one stream, so the client does not reconnect."""
    platform.usual = stream("id: 1\ndata: a\n\n")
    (events,) = call(lambda balcao: balcao.health_units.stream_changes_by_ticket(bilhete="b"))
    assert [each.data for each in events] == ["a"]
    assert (len(platform.received), waits) == (1, [])


def test_a_stream_gets_a_new_token_when_its_own_has_ended(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    tokens = iter(("one", "two", "three"))
    platform.answers += [answer(401), stream("id: 1\ndata: a\n\n"), ENDED]
    with pytest.raises(client.faults.Forbidden):
        call(lambda balcao: balcao.health_units.stream_changes(), token=lambda: next(tokens, "three"))
    assert next(sent.headers["authorization"] for sent in platform.received) == "Bearer one"
    assert len(platform.received) == 3


def test_what_is_no_stream_is_told_apart(client: Any, call: Calling, platform: Receiver, waits: list[float]) -> None:
    platform.usual = Answer(200, b"<html>", {"Content-Type": "text/html"})
    with pytest.raises(client.faults.UnexpectedResponse):
        call(lambda balcao: balcao.health_units.stream_changes())
