"""The management port reports whether the processes work, are frozen, or have stopped running jobs."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from balcao import app
from balcao.core.access.catalogue import OUTDATED
from balcao.core.context.processes import ProcessGroup, prepare_group
from balcao.core.jobs.pulse import FETCH, LAST_ITERATION
from balcao.core.telemetry import BEAT, Numbers, Series
from balcao.gateway.management import (
    BEAT_SECONDS,
    QUEUE_SECONDS,
    check_processes,
    is_stalled,
)
from balcao.operate.processes import channel, worker
from balcao.operate.processes import management as role
from balcao.operate.processes.channel import Order, Watched
from balcao.operate.processes.plan import claiming_for_management
from balcao.settings import Settings
from tests.support.issuer import bearer
from tests.support.polling import PATIENCE, until
from tests.support.server import RunningServer, free_port

NOW = 1_800_000_000.0
BOTH = ("api-0", "worker-0")
STALLED_SECONDS = Settings.model_fields["worker_stall_timeout"].default
ages = st.floats(0, 2 * STALLED_SECONDS)


def numbers(beats: dict[str, float], turn: float = 0.0, fetch: float = 0.0, outdated: bool = False) -> Numbers:
    """Return the metrics that processes publish. The arguments are the ages of beats, loop iterations and fetches."""
    states: dict[Series, float] = {(BEAT, name): NOW - age for name, age in beats.items()}
    states |= {
        (LAST_ITERATION, "worker-0"): NOW - turn,
        (FETCH, "worker-0"): NOW - fetch,
        (OUTDATED, "api-0"): float(outdated),
    }
    return Numbers(states=states)


@given(api=ages, worker=ages, turn=ages, fetch=ages, outdated=st.booleans())
def test_each_check_fails_for_its_own_reason(
    api: float, worker: float, turn: float, fetch: float, outdated: bool
) -> None:
    found = numbers({"api-0": api, "worker-0": worker}, turn, fetch, outdated)
    assert check_processes(found, BOTH, with_jobs=True, now=NOW) == {
        "api-0": api <= BEAT_SECONDS,
        "worker-0": worker <= BEAT_SECONDS,
        "snapshot": not outdated,
        "queue": fetch <= QUEUE_SECONDS,
    }
    assert is_stalled(found, STALLED_SECONDS, NOW) == (turn > STALLED_SECONDS)


def test_a_process_that_never_came_is_missed_and_jobs_that_are_nobodys_task_are_not() -> None:
    no_numbers = Numbers({}, {}, {})
    assert check_processes(no_numbers, BOTH, with_jobs=True, now=NOW) == {
        "api-0": False,
        "worker-0": False,
        "snapshot": True,
        "queue": False,
    }
    assert "queue" not in check_processes(no_numbers, ["api-0"], with_jobs=False, now=NOW)
    assert not is_stalled(no_numbers, STALLED_SECONDS, NOW)


@pytest.fixture
def group(tmp_path: Path) -> ProcessGroup:
    prepare_group(tmp_path / "run")
    return ProcessGroup(tmp_path / "run")


@contextmanager
def managed(settings: Settings, database_url: str, group: ProcessGroup) -> Iterator[httpx.Client]:
    application = app.build_management(settings, database_url, group, BOTH, with_jobs=True)
    with (
        RunningServer(application) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as client,
    ):
        yield client


def publish(group: ProcessGroup, name: str, found: Numbers) -> None:
    """Write the metrics file of a process, with its times shifted from NOW to the current time."""
    assert group.metrics_folder
    late = time.time() - NOW
    states = {series: value + late if value > 1 else value for series, value in found.states.items()}
    (group.metrics_folder / f"{name}.msgpack").write_bytes(
        msgspec.msgpack.encode(msgspec.structs.replace(found, states=states))
    )


def test_it_answers_for_processes_that_it_is_none_of(
    settings: Settings, database_url: str, group: ProcessGroup
) -> None:
    with managed(settings, database_url, group) as client:
        publish(group, "api-0", numbers({"api-0": -PATIENCE}))
        alone = client.get("/readiness")
        assert (alone.status_code, alone.json()["errors"]) == (503, ["worker-0"])
        publish(group, "worker-0", numbers({"worker-0": -PATIENCE}, -PATIENCE, -PATIENCE))
        both = client.get("/readiness")
        assert (both.status_code, both.json()["status"]) == (200, "ready")
        assert both.json()["checks"] == dict.fromkeys(("database", *BOTH, "snapshot", "queue", "overall"), True)
        assert client.get("/liveness").json()["status"] == "healthy"
        publish(group, "worker-0", numbers({"worker-0": -PATIENCE}, 2 * STALLED_SECONDS, 2 * STALLED_SECONDS))
        stalled = client.get("/liveness")
        assert (stalled.status_code, stalled.json()["status"]) == (503, "stalled")
        assert client.get("/readiness").json()["errors"] == ["queue"]


def test_it_shows_the_metrics_of_all_counts_nobody_who_asks_and_serves_nothing_else(
    settings: Settings, database_url: str, group: ProcessGroup
) -> None:
    counted: dict[Series, int] = {("balcao_requests", "registry", "registry.read", "GET", "200"): 7}
    with managed(settings, database_url, group) as client:
        publish(group, "api-0", Numbers(counts=counted))
        client.get("/readiness")
        shown = client.get("/metrics").text
        assert (
            'balcao_requests_total{method="GET",operation="registry.read",service="registry",status="200"} 7.0' in shown
        )
        assert "balcao_database_up 1.0" in shown
        assert 'service="management"' not in client.get("/metrics").text
        assert client.get("/registry/v1/health").status_code == 404


def test_a_token_guards_the_metrics_and_without_one_the_port_does(
    settings: Settings, database_url: str, group: ProcessGroup
) -> None:
    production = settings.model_copy(update={"profile": "production"})
    with managed(production, database_url, group) as client:
        assert client.get("/metrics").status_code == 200
    guarded = production.model_copy(update={"metrics_token": SecretStr("de-quem-mede")})
    with managed(guarded, database_url, group) as client:
        assert client.get("/metrics").status_code == 401
        assert client.get("/metrics", headers=bearer("de-quem-mede")).status_code == 200
        assert client.get("/liveness").status_code == 200


def test_with_a_port_of_their_own_the_metrics_leave_that_of_the_callers(settings: Settings, database_url: str) -> None:
    apart = settings.model_copy(update={"management_port": free_port()})
    with RunningServer(app.build_application(apart, database_url, ["agents"])) as server:
        assert httpx.get(f"{server.url}/metrics", timeout=PATIENCE).status_code == 404
        assert httpx.get(f"{server.url}/liveness", timeout=PATIENCE).status_code == 200


@pytest.mark.long
async def test_a_worker_whose_loop_stands_still_ends_its_process(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(channel, "end_process", ended.set)
    # An idle loop wakes up every five seconds. This setting allows no stall at all.
    impatient = settings.model_copy(update={"worker_stall_timeout": 0})
    async with worker.run(impatient, Order(database_url)):
        await until(ended.is_set)


async def test_a_worker_is_ready_once_its_loop_has_asked_for_jobs(settings: Settings, database_url: str) -> None:
    port = free_port()
    with claiming_for_management("127.0.0.1", port) as (sock,):
        order = Order(database_url, sockets={"management": sock.detach()}, watched=Watched(("worker-0",), True))
        async with (
            httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE) as client,
            role.run(settings, order),
            worker.run(settings, order),
        ):
            while (answer := await client.get("/readiness")).status_code != 200:
                assert answer.json()["errors"] == ["queue"]
            shown = (await client.get("/metrics")).text
    assert f'{FETCH}{{process="worker-0"}}' in shown
