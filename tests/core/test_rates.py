"""Every operation has a rate limit for each caller, and no caller can use up the shared database connections."""

import asyncio
import contextlib

import asyncpg
import httpx
import pytest

from balcao.core.database import connections
from balcao.core.database.connection_quota import ConnectionQuota, holder
from balcao.core.database.pool import Database
from balcao.core.errors import TooMany
from balcao.core.http.operations import name_for_machines
from balcao.core.live.rates import SETTINGS as LIVE_SETTINGS
from balcao.settings import Settings, SettingsError, variable_of
from balcao.settings.rates import WIDENED
from tests.support.issuer import Issuer, bearer
from tests.support.operations import all_operations
from tests.support.polling import PATIENCE

ANA, BRUNO = "90000000175", "90000000256"
RATE, ALLOWED = "20/hour", 20


@pytest.fixture(scope="module")
def settings(issuer: Issuer, tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return Settings(
        auth_issuer=issuer.address,
        data_dir=tmp_path_factory.mktemp("data"),
        database_pool=4,
        read_rate=RATE,
        write_rate=RATE,
        machine_read_rate="40/hour",
    )


def preferences(cpf: str) -> str:
    return f"/registry/v1/citizen/{cpf}/notification-preferences"


def test_a_caller_beyond_the_rate_of_reads_is_429_and_nobody_else(http: httpx.Client, issuer: Issuer) -> None:
    ana = bearer(issuer.person(ANA))
    assert {http.get(preferences(ANA), headers=ana).status_code for _ in range(ALLOWED)} == {200}
    refused = http.get(preferences(ANA), headers=ana)
    assert (refused.status_code, refused.headers["Error-Code"]) == (429, "too-many")
    assert 1 <= int(refused.headers["Retry-After"]) <= 3600
    # The limit applies to one caller and one operation.
    assert http.get(f"/registry/v1/citizen/{ANA}/optin", headers=ana).status_code == 200
    assert http.get(preferences(BRUNO), headers=bearer(issuer.person(BRUNO))).status_code == 200


def test_writes_have_a_rate_of_their_own(http: httpx.Client, issuer: Issuer) -> None:
    bruno = bearer(issuer.person(BRUNO))
    path = f"/registry/v1/citizen/{BRUNO}/gender"
    statuses = [http.put(path, headers=bruno, json={"valor": "Outro"}).status_code for _ in range(ALLOWED + 1)]
    assert (set(statuses[:-1]), statuses[-1]) == ({200}, 429)


def test_a_machine_which_calls_for_many_people_has_a_higher_one(http: httpx.Client, issuer: Issuer) -> None:
    machine = bearer(issuer.machine("balcao-platform"))
    statuses = [http.get(preferences(ANA), headers=machine).status_code for _ in range(ALLOWED * 2 + 1)]
    assert set(statuses[:-1]) == {403}
    path = f"/registry/v1/cpf-secretaria/{ANA}"
    statuses = [http.get(path, headers=machine).status_code for _ in range(ALLOWED * 2 + 1)]
    assert (set(statuses[:-1]), statuses[-1]) == ({200}, 429)


def test_an_anonymous_caller_is_counted_by_address(http: httpx.Client) -> None:
    statuses = [http.get("/registry/v1/citizen/ethnicity/options").status_code for _ in range(ALLOWED + 1)]
    assert (set(statuses[:-1]), statuses[-1]) == ({200}, 429)


def test_every_operation_has_a_rate_as_the_rules_say() -> None:
    settings = Settings(profile="production")
    found = {str(served): served.operation.rates(settings) for served in all_operations()}
    assert found["registry.read_preferences"] == ("50/second", "500/second")
    assert found["registry.change_preferences"] == ("10/second", "100/second")
    # Only gateways call the check endpoints. They call on behalf of all their callers (rules: access 5.5).
    unbounded = {key for key, rates in found.items() if not all(rates) and not key.startswith("access.check_")}
    assert unbounded == {"registry.receive_crm_event"}
    crm = {key for key, rates in found.items() if rates == (settings.crm_rate, settings.machine_crm_rate)}
    assert crm >= {
        "registry.validate_login",
        "registry.read_crm_account",
        "registry.export_crm_account",
        "registry.change_crm_consent",
        "registry.request_crm_anonymisation",
        "registry.read_crm_anonymisation",
    }


def test_in_the_sandbox_defaults_are_a_hundred_times_higher_and_what_is_written_counts() -> None:
    usual = Settings(profile="production")
    # All profiles have the same refusal rates, and the tests set their own.
    for name in LIVE_SETTINGS[: LIVE_SETTINGS.index("refused_rate")]:
        amount, _, period = getattr(usual, name).partition("/")
        assert getattr(Settings(), name) == f"{int(amount) * 100}/{period}"
        assert getattr(Settings.model_validate({name: "7/minute"}), name) == "7/minute"
        assert Settings.load({variable_of(name): getattr(usual, name)}).model_dump()[name] == getattr(usual, name)
    assert Settings().refused_rate == usual.refused_rate
    assert set(LIVE_SETTINGS) == {*WIDENED, "refused_rate"}


@pytest.mark.parametrize(
    ("key", "rates"),
    [
        ("health_units.issue_stream_ticket", ("3000/minute", "30000/minute")),
        ("employability.submit_application", ("1000/minute", "1000/minute")),
        ("registry.read_preferences", ("7/minute", "50000/second")),
        ("registry.receive_crm_event", ("", "")),
    ],
)
def test_an_operations_own_rate_is_widened_too_and_what_is_changed_live_is_not(
    key: str, rates: tuple[str, str]
) -> None:
    (operation,) = (served.operation for served in all_operations() if str(served) == key)
    assert operation.rates(Settings(read_rate="7/minute")) == rates
    changed = {operation.key: "8/minute", name_for_machines(operation.key): "9/minute"}
    assert operation.rates(Settings(), changed) == ("8/minute", "9/minute")


def test_a_rate_that_cannot_be_read_is_refused_by_name() -> None:
    with pytest.raises(SettingsError, match="BALCAO_WRITE_RATE"):
        Settings.load({"BALCAO_WRITE_RATE": "muitas"})


# Count only this database, because tests of other modules also wait for locks on the same server.
WAITING_HERE = """
SELECT count(*) FROM pg_locks
WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


async def test_one_callers_blocked_writes_leave_connections_to_everybody_else(
    server: object, http: httpx.Client, issuer: Issuer, database_url: str
) -> None:
    """Twenty blocked writes by one person leave connections for other callers.

    The pool has four connections, so without a quota the writes would occupy them all.
    """
    greedy, other = bearer(issuer.person("90000000337")), bearer(issuer.person("90000000418"))
    path = "/registry/v1/citizen/90000000337/avatar"
    async with httpx.AsyncClient(base_url=http.base_url, timeout=PATIENCE, limits=httpx.Limits()) as calls:
        connection = await asyncpg.connect(database_url)
        try:
            async with connection.transaction():
                await connection.execute("LOCK TABLE registry.settings IN ACCESS EXCLUSIVE MODE")
                body = {"avatar_id": None}
                tasks = [asyncio.create_task(calls.put(path, headers=greedy, json=body)) for _ in range(20)]

                async def count_waiting() -> int:
                    found: int = await connection.fetchval(WAITING_HERE)
                    return found

                while await count_waiting() < 2:  # noqa: ASYNC110 - no event reports a lock wait
                    await asyncio.sleep(0.01)
                vehicles = await calls.get("/registry/v1/citizen/90000000418/vehicles", headers=other)
                assert vehicles.status_code == 200
                assert await count_waiting() == 2
            assert {(await task).status_code for task in tasks} == {200}
        finally:
            await connection.close()


async def test_who_holds_a_share_waits_for_it_and_others_do_not(
    database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(database_url, size=4)
    await database.open()
    try:
        async with contextlib.AsyncExitStack() as held:
            holder.set("greedy")
            first = await held.enter_async_context(contextlib.AsyncExitStack())
            await first.enter_async_context(database.connection())
            await held.enter_async_context(database.connection())
            third = asyncio.create_task(_use(database))
            async with asyncio.timeout(PATIENCE):
                holder.set("other")
                assert await asyncio.create_task(_use(database)) == 1
            assert not third.done()
            await first.aclose()
            assert await third == 1
            monkeypatch.setattr(connections, "ACQUIRE_SECONDS", 0.01)
            holder.set("greedy")
            await held.enter_async_context(database.connection())
            with pytest.raises(TooMany) as refused:
                await _use(database)
            assert refused.value.code == "too-many-at-once"
    finally:
        await database.close()


async def test_what_is_cancelled_while_it_waits_takes_no_share_with_it() -> None:
    shares = ConnectionQuota(1)
    assert shares.acquire_now("greedy")
    waiting = [asyncio.create_task(shares.acquire("greedy", PATIENCE)) for _ in range(5)]
    await asyncio.sleep(0)
    shares.release("greedy")  # the first task gets this share, and is then cancelled
    for task in waiting[:4]:
        task.cancel()
    await waiting[4]
    assert not shares.acquire_now("greedy")
    shares.release("greedy")
    assert shares.acquire_now("greedy")


async def _use(database: Database) -> int:
    async with database.connection() as connection:
        found: int = await connection.fetchval("SELECT 1")
        return found
