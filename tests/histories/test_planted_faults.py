"""The checker finds what is wrong: each planted fault, and nothing where none is planted."""

import asyncio
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import asyncpg
import httpx
import pytest

from balcao.settings import Settings
from balcao_sandbox.postgresql import supervisor
from tests.histories.lies import LIES
from tests.histories.nemesis import answered, break_in_turn
from tests.histories.preferences import PreferencesOfCitizens
from tests.histories.recorder import Resource
from tests.histories.trial import all_resources, judge, platform, record
from tests.support.sizes import report

pytestmark = pytest.mark.histories

SEED = 1
CLIENTS = 6
ANSWERS = 400


@pytest.fixture(scope="module")
def settings() -> Iterator[Settings]:
    with platform() as (settings, _):
        yield settings


def test_where_none_is_planted_none_is_found(settings: Settings, tmp_path: Path) -> None:
    judged = judge(work(settings, all_resources(range(6)), tmp_path))
    assert {one.verdict for one in judged} == {"possible"}


@pytest.mark.parametrize("place", range(len(LIES)), ids=[lies.__name__ for lies in LIES])
def test_a_planted_fault_is_found(place: int, settings: Settings, tmp_path: Path) -> None:
    # Citizens of its own: a change that is not in the history would seem an anomaly.
    citizens = PreferencesOfCitizens(range(6 * place + 6, 6 * place + 12))
    (judged,) = judge(work(settings, [citizens], tmp_path, LIES[place](SEED)))
    report(f"{LIES[place].__name__}: {judged.verdict} after {judged.after} operations")
    assert judged.verdict == "anomaly"


def work(
    settings: Settings,
    resources: Sequence[Resource],
    folder: Path,
    transport: httpx.AsyncBaseTransport | None = None,
) -> Path:
    """Return the history of clients who were answered so many times."""
    history = folder / "history.jsonl"
    record(settings, history, resources, CLIENTS, SEED, partial(answered, more=ANSWERS), transport)
    return history


def test_a_database_that_answers_before_it_has_written_is_found_out_by_a_kill(tmp_path: Path) -> None:
    history = tmp_path / "history.jsonl"
    citizens, kills = PreferencesOfCitizens(range(6)), ["kill postgres"] * 3
    with platform() as (settings, started):
        asyncio.run(answer_before_writing(settings))
        record(
            settings, history, [citizens], CLIENTS, SEED, lambda recorder: break_in_turn(recorder, started, kills, 150)
        )
    (judged,) = judge(history)
    report(f"synchronous_commit=off: {judged.verdict} after {judged.after} operations")
    assert judged.verdict == "anomaly"


async def answer_before_writing(settings: Settings) -> None:
    server = supervisor.find_running(settings.data_dir)
    assert server
    connection = await asyncpg.connect(server.url)
    try:
        await connection.execute("ALTER SYSTEM SET synchronous_commit = off")
        # The longest that may be set: what is written within it is lost by a kill.
        await connection.execute("ALTER SYSTEM SET wal_writer_delay = '10s'")
        await connection.execute("SELECT pg_reload_conf()")
    finally:
        await connection.close()
