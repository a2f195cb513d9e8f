"""Rate limits whose counts several machines share. An in-memory store replaces Redis."""

from typing import Any

import pytest
from limits.aio.storage import MemoryStorage

from balcao.core.access import limits as module
from balcao.core.access.limits import Limits
from balcao.core.errors import TooMany
from tests.support.polling import PATIENCE

RATE, KEY = "3/minute", ("operation", "caller")


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> MemoryStorage:
    """Return the in-memory store that all `Limits` in the test share."""
    storage = MemoryStorage()

    def connect(address: str, **options: Any) -> MemoryStorage:
        assert (address, options.pop("implementation")) == ("async+redis://cache", "redispy")
        assert set(options) == {"connection_pool"}
        return storage

    monkeypatch.setattr(module, "RedisStorage", connect)
    return storage


async def test_a_limit_holds_across_machines(shared: MemoryStorage) -> None:
    one, other = Limits("redis://cache"), Limits("redis://cache")
    assert one.remote
    for limits in (one, other, one):
        await limits.spend(RATE, *KEY)
    for limits in (one, other):
        assert not await limits.within(RATE, *KEY)
        with pytest.raises(TooMany) as refused:
            await limits.spend(RATE, *KEY)
        assert 30 < (refused.value.retry_after or 0) <= 60
    await one.spend(RATE, "operation", "another")
    await one.spend("3/hour", *KEY)


async def test_while_the_counter_is_lost_each_machine_counts_for_itself_and_the_log_says_so_once(
    shared: MemoryStorage, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def lost(*_: Any, **__: Any) -> int:
        raise ConnectionResetError

    monkeypatch.setattr(shared, "incr", lost)
    monkeypatch.setattr(module, "DOWN_SECONDS", PATIENCE)
    for limits in (Limits("redis://cache"), Limits("redis://cache")):
        for _ in range(3):
            await limits.spend(RATE, *KEY)
        assert not await limits.within(RATE, *KEY)
    assert caplog.text.count("limits.away") == 2
    assert "ConnectionResetError" in caplog.text


async def test_the_counter_is_asked_whether_it_answers_only_where_there_is_one(
    shared: MemoryStorage, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away() -> bool:
        return False

    monkeypatch.setattr(shared, "check", away)
    assert not await Limits("redis://cache").check()
    assert await Limits().check()
