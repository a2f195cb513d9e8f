"""Reads that may lag: which callers a replica serves, how it is chosen, and the fallback to the primary.

Here the server acts as its own replica. `tests/cluster/test_replica_reads.py` uses real replicas.
"""

import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import nullcontext

import asyncpg
import httpx
import pytest
import pytest_asyncio
from hypothesis import given
from hypothesis import strategies as st

from balcao import app
from balcao.core.access.rules import AUTHENTICATED, PUBLIC
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform, assemble
from balcao.core.database import replicas
from balcao.core.database.replicas import Marks, Replica, Replicas
from balcao.core.telemetry import telemetry
from balcao.gateway.application import Application
from balcao.gateway.asgi import AsgiApplication
from balcao.gateway.gateway import Gateway
from balcao.operate.doctor.replicas import check_replicas
from balcao.search.public_search.state import SearchState, find_reader
from balcao.settings import Settings, SettingsError
from tests.support.demo_people import ANA
from tests.support.issuer import Issuer, bearer
from tests.support.open_platform import WORKING, opened
from tests.support.operations import Served, all_operations
from tests.support.polling import PATIENCE
from tests.support.single_services import no_pages

JOBS = "/jobs/api/public/empregabilidade/vagas"
BRANDS = "/registry/v1/mobilidade/vehicle-brands"
POSING = replicas._REPLICA.replace("pg_is_in_recovery()", "true").replace("last_wal_replay", "current_wal_flush")
LAGGING = [served for served in all_operations() if served.operation.may_lag]
# Results are cached, so each call in a test needs its own query.
QUERIES = {
    "registry.list_vehicle_models": {"brand_id": "brand_fiat"},
}
FILLED = {
    "id": "0198a2b4-0000-7000-8000-000000000001",
    "avatar_id": "0198a2b4-0000-7000-8000-000000000001",
    "lista": "ocorrencias",
    "dia": "2026-09-07",
    "cnpj": "33000167000101",
    "slug": "vaga-0198a2b40000",
    "type_id": "iluminacao",
}


@pytest.fixture(scope="module")
def settings(issuer: Issuer, database_url: str, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        database_url=database_url,
        database_read_url=database_url,
    )


@pytest_asyncio.fixture
async def platform(settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Platform]:
    monkeypatch.setattr(replicas, "_REPLICA", POSING)
    assembled = assemble(settings, database_url)
    async with opened(assembled):
        await assembled.replicas.measure()
        yield assembled
        await assembled.replicas.stop()
        await replica_of(assembled).close()


@pytest_asyncio.fixture
async def http(platform: Platform) -> AsyncIterator[httpx.AsyncClient]:
    mounts = [app.mount_service(service, platform) for service in WORKING]
    transport = httpx.ASGITransport(app=AsgiApplication(Application(Gateway(mounts, no_pages(), nullcontext))))
    async with httpx.AsyncClient(transport=transport, base_url="http://test", timeout=PATIENCE) as client:
        yield client


def replica_of(platform: Platform) -> Replica:
    (found,) = platform.replicas._replicas
    return found


class Outcomes:
    """Counts the outcomes of reads since the last call of `take`."""

    def __init__(self) -> None:
        self._counter = telemetry.counter("balcao_replica_reads", "", "outcome")
        self._before = Counter(self._counter.counts)

    def take(self) -> dict[str, int]:
        now = Counter(self._counter.counts)
        found = {outcome: count for (outcome,), count in (now - self._before).items()}
        self._before = now
        return found


def path_of(served: Served) -> str:
    numbered = {"id": "1"} if served.operation.key == "employability.read_legacy_job" else {}
    return served.filled(**FILLED | numbered)


async def ask(http: httpx.AsyncClient, served: Served, issuer: Issuer) -> httpx.Response:
    headers = {} if served.public else bearer(issuer.person(ANA))
    return await http.get(path_of(served), params=QUERIES.get(served.operation.key), headers=headers)


async def test_every_read_that_may_lag_asks_the_replica_and_one_that_is_gone_is_noticed_by_nobody(
    http: httpx.AsyncClient, platform: Platform, issuer: Issuer
) -> None:
    """Every read that may lag uses the replica, and falls back to the primary if the replica is gone.

    An operation that ignored its declaration would read the primary, so its read would not fail on the closed replica.
    """
    outcomes, replica = Outcomes(), replica_of(platform)
    state, wrong = platform.part(SearchState), {}
    for served in LAGGING:
        state.note_change()
        replica.proven_at = math.inf
        alive = await ask(http, served, issuer)
        read = outcomes.take()
        if alive.status_code not in {200, 301, 404} or read != {"replica" if alive.is_success else "unknown": 1}:
            wrong[str(served)] = (alive.status_code, read)
    await replica.close()
    for served in LAGGING:
        state.note_change()
        replica.proven_at = math.inf
        dead = await ask(http, served, issuer)
        read = outcomes.take()
        if dead.status_code not in {200, 301, 404} or read != {"failed": 1} or replica.proven_at != -math.inf:
            wrong[str(served)] = (dead.status_code, read)
    assert wrong == {}


def test_only_reads_that_show_everybody_the_same_may_lag() -> None:
    assert {served.method for served in LAGGING} == {"GET"}
    assert {served.operation.rule.action for served in LAGGING} <= {PUBLIC, AUTHENTICATED}
    named = {name for served in LAGGING for name in ("{cpf}", "/me", "curriculo", "admin") if name in served.path}
    assert named == set()


async def test_whoever_may_change_what_is_read_reads_the_primary(
    http: httpx.AsyncClient, platform: Platform, issuer: Issuer
) -> None:
    outcomes = Outcomes()
    for token, read in (
        (issuer.person(ANA), {"replica": 1}),
        (issuer.admin(), {}),
        (issuer.machine("crm-sandbox"), {}),  # the CRM's client writes to the registry by sending events
    ):
        assert (await http.get(BRANDS, headers=bearer(token))).is_success
        assert outcomes.take() == read


async def test_a_token_that_nobody_has_verified_reads_the_primary_where_all_may_read(
    http: httpx.AsyncClient, platform: Platform, issuer: Issuer
) -> None:
    outcomes, token = Outcomes(), bearer(issuer.person(ANA))
    assert (await http.get(JOBS, headers=token)).is_success
    assert outcomes.take() == {}
    await http.get(BRANDS, headers=token)
    outcomes.take()
    assert (await http.get(JOBS, headers=token)).is_success
    assert outcomes.take() == {"replica": 1}


async def test_a_session_on_a_replica_writes_nothing(platform: Platform) -> None:
    async with replica_of(platform).database.connection() as connection:
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await connection.execute("DELETE FROM registry.department")


async def test_what_is_kept_until_a_notice_is_read_from_a_replica_that_has_what_the_notice_is_about(
    platform: Platform,
) -> None:
    call = operator_call(platform, "search.test")
    call.replica = replica = replica_of(platform)
    platform.parts[SearchState] = state = SearchState()  # no other process updates this state
    assert find_reader(call) is replica.database
    state.note_change()
    assert find_reader(call) is platform.database
    await platform.replicas.measure()
    assert find_reader(call) is replica.database


@pytest.mark.parametrize(
    "posing",
    [
        pytest.param(POSING.replace("true", "false"), id="one that was promoted"),
        pytest.param(POSING.replace("system_identifier,", "system_identifier + 1,"), id="one of another cluster"),
        pytest.param(POSING.replace("'0/0'", "'FFFFFFFF/0'"), id="one that is paused"),
        pytest.param(POSING.replace("true", "1 / 0 = 1"), id="one that fails"),
    ],
)
async def test_a_server_that_does_not_have_what_the_primary_has_is_not_read_from(
    platform: Platform, monkeypatch: pytest.MonkeyPatch, posing: str
) -> None:
    assert platform.replicas.choose() is replica_of(platform)
    monkeypatch.setattr(replicas, "_REPLICA", posing)
    await platform.replicas.measure()
    assert (platform.replicas.choose(), platform.replicas.lag) == (None, math.inf)
    monkeypatch.setattr(replicas, "_REPLICA", POSING)
    await platform.replicas.measure()
    assert platform.replicas.choose() is replica_of(platform)


async def test_one_that_was_not_measured_for_too_long_is_not_read_from(platform: Platform) -> None:
    now = 0.0
    watched = Replicas(platform.database, [replica_of(platform)], 10, lambda: now)
    await watched.measure()
    now = 10.0
    assert watched.choose() is replica_of(platform)
    now = 10.1
    assert watched.choose() is None


STEPS = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=12)


@given(STEPS)
def test_a_replica_is_never_held_to_be_fresher_than_it_is_and_one_that_has_all_is_current(
    steps: list[tuple[int, int]],
) -> None:
    """Each step commits and replays these amounts of WAL. The steps include an idle primary and a paused replica."""
    marks, committed, replayed = Marks(5), [0], 0
    for instant, (written, caught_up) in enumerate(steps, 1):
        committed.append(committed[-1] + written)
        replayed = min(replayed + caught_up, committed[-1])
        marks.add(instant, committed[-1])
        found = marks.find(replayed)
        if found != -math.inf:
            assert committed[int(found)] <= replayed
        if replayed == committed[-1]:
            assert found == instant
        if all(position > replayed for position in committed[-6:]):
            assert found == -math.inf


def test_the_marks_of_a_server_that_was_replaced_measure_nothing() -> None:
    marks = Marks(10)
    marks.add(1.0, 700)
    marks.add(2.0, 500)
    assert (marks.find(600), marks.find(499)) == (2.0, -math.inf)


def test_replicas_are_of_a_database_that_is_named() -> None:
    with pytest.raises(SettingsError, match="BALCAO_DATABASE_READ_URL"):
        Settings.load({"BALCAO_DATABASE_READ_URL": "postgresql://balcao@replica/balcao"})


async def test_the_doctor_tells_of_each_server_why_it_is_not_read_from(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = settings.model_copy(update={"database_url": database_url, "database_read_url": database_url})
    states, problems = await check_replicas(asked)
    assert set(states.values()) == {replicas.PROMOTED}
    assert [said for said in problems if "não é réplica" in said and said.endswith("O principal responde por ele.")]
    monkeypatch.setattr(replicas, "_REPLICA", POSING)
    states, problems = await check_replicas(asked)
    assert (set(states.values()), problems) == ({"up"}, [])
    away = asked.model_copy(update={"database_url": "postgresql://balcao@127.0.0.1:1/balcao"})
    assert await check_replicas(away) == ({}, [])
