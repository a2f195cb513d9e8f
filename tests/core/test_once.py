"""A slow value is computed only once, in a thread, for all callers."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import httpx
import pytest

from balcao.core.http import pages
from balcao.core.once import Once
from tests.support.polling import PATIENCE, until
from tests.support.server import RunningServer


class Made:
    """A function that returns a list once the test sets `let`. `times` counts its calls."""

    def __init__(self) -> None:
        self.times = 0
        self.begun, self.let = Event(), Event()

    def __call__(self) -> list[int]:
        self.times += 1
        self.begun.set()
        self.let.wait(PATIENCE)
        return [self.times]


async def test_who_asks_meanwhile_waits_for_the_same_and_the_loop_goes_on() -> None:
    made = Made()
    once = Once(made)
    asking = [asyncio.create_task(once.get()) for _ in range(3)]
    await until(made.begun.is_set)  # this would hang if the event loop was blocked
    made.let.set()
    one, *others = await asyncio.gather(*asking)
    assert all(other is one for other in [*others, await once.get()])
    assert made.times == 1


async def test_who_goes_away_takes_it_from_nobody() -> None:
    made = Made()
    once = Once(made)
    gone, stays = asyncio.create_task(once.get()), asyncio.create_task(once.get())
    await until(made.begun.is_set)
    gone.cancel()
    with pytest.raises(asyncio.CancelledError):
        await gone
    made.let.set()
    assert await stays == [1]


def test_it_is_the_same_in_another_event_loop() -> None:
    made = Made()
    made.let.set()
    once = Once(made)
    assert asyncio.run(once.get()) is asyncio.run(once.get())


async def test_a_fault_is_told_to_everybody() -> None:
    def fail() -> int:
        raise ValueError("broken")

    once = Once(fail)
    for _ in range(2):
        with pytest.raises(ValueError, match="broken"):
            await once.get()


@pytest.mark.long
def test_others_are_answered_while_a_service_is_described(
    server: RunningServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    described, let = Event(), Event()
    document = pages.document

    def describe(*words: object) -> bytes:
        described.set()
        let.wait(PATIENCE)
        return document(*words)

    monkeypatch.setattr(pages, "document", describe)
    pages._describe_once.cache_clear()
    with httpx.Client(base_url=server.url, timeout=PATIENCE) as http, ThreadPoolExecutor(1) as thread:
        asked = thread.submit(http.get, "/registry/v1/openapi.json")
        assert described.wait(PATIENCE)
        http.get("/liveness").raise_for_status()
        assert not asked.done()
        let.set()
        assert asked.result().status_code == 200
