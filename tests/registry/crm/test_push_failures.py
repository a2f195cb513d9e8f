"""Pushes that the CRM does not take: tries, dead letters, the open circuit."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from balcao import app
from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import AT_ONCE, Worker
from balcao.core.values.cpf import Cpf
from balcao.crm.circuit import CIRCUIT_OPEN, IN_A_ROW, Circuit
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.crm.sandbox.server import STATE_FILE
from balcao.registry.crm.push import demo
from balcao.registry.crm.push.jobs import JOBS
from balcao.registry.mirror import outbox_store as store
from balcao.settings import Settings
from tests.registry.conftest import DUE, Own, declare
from tests.support.crm import RunningCrm
from tests.support.fixtures import Sql
from tests.support.patience import until_now
from tests.support.sizes import size

BRUNO, CARLA = "90000000256", "90000000337"
LETTER = """
SELECT o.id::text, o.dirty::text, o.attempts_log::text, o.given_up, o.version,
    j.status::text, j.attempts, extract(epoch FROM j.execute_after - now())::float8 AS wait
FROM registry.outbox AS o LEFT JOIN queue.pgqueuer AS j ON j.id = o.job WHERE o.cpf = $1
"""
AGAIN = "INSERT INTO queue.pgqueuer (priority, status, entrypoint, payload) VALUES (0, 'queued', 'crm_push', $1)"
WAITING = "SELECT FROM registry.outbox WHERE cpf = ANY($1)"
REQUEUE = "UPDATE queue.pgqueuer SET status = 'queued', attempts = 0, execute_after = now() WHERE id = $1"
CHANGES = {"update", "upsert"}
CHANGED = size(30, 1_000)
STEPS = size(4, 15)


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def letter(sql: Sql) -> Callable[[str], Any]:
    """The citizen's outbox with the state of its job, or None."""

    def call(cpf: str) -> Any:
        found = sql(LETTER, cpf)
        return found[0] if found else None

    return call


@pytest.fixture
def kinds(crm: RunningCrm) -> Callable[[str], list[str]]:
    return lambda cpf: [entry["operation"] for entry in crm.requests(cpf=cpf) if entry["operation"] in CHANGES]


def codes(found: Any) -> list[tuple[int | None, str]]:
    return [(entry["status"], entry["code"]) for entry in json.loads(found["attempts_log"])]


@pytest.mark.parametrize(
    ("fault", "kept"),
    [
        ({"mode": "error"}, (500, "UNKNOWN_EXCEPTION")),
        ({"mode": "error", "status": 503, "code": "SERVER_UNAVAILABLE"}, (503, "SERVER_UNAVAILABLE")),
        ({"mode": "error", "status": 408, "code": "REQUEST_TIMEOUT"}, (408, "REQUEST_TIMEOUT")),
        ({"mode": "error", "status": 403, "code": "REQUEST_LIMIT_EXCEEDED"}, (403, "REQUEST_LIMIT_EXCEEDED")),
        ({"mode": "error", "status": 400, "code": "UNABLE_TO_LOCK_ROW"}, (400, "UNABLE_TO_LOCK_ROW")),
        ({"mode": "rate_limit"}, (429, "REQUEST_LIMIT_EXCEEDED")),
        ({"mode": "expired_token"}, (401, "INVALID_SESSION_ID")),
        ({"mode": "reset"}, (None, "CONNECTION_LOST")),
        ({"mode": "garbage", "operation": "query"}, (200, "ANSWER_NOT_JSON")),
        ({"mode": "error", "operation": "token", "status": 401}, (401, "TOKEN_REFUSED")),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else "",
)
def test_what_may_pass_is_tried_once_a_push_and_delivered_later(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
    fault: dict[str, Any],
    kept: tuple[int | None, str],
) -> None:
    own(BRUNO, genero="Nao_binario")
    crm.faults({"operation": "update"} | fault)
    send()
    found = letter(BRUNO)
    assert (found["status"], found["attempts"], found["given_up"], codes(found)) == ("queued", 1, False, [kept])
    assert kinds(BRUNO) in ([], ["update"], ["update"] * 2)  # twice: once more with a new token
    assert found["wait"] > (59 if kept == (403, "REQUEST_LIMIT_EXCEEDED") else 0)
    crm.faults()
    send()
    assert letter(BRUNO) is None
    assert crm.accounts(BRUNO)[0]["Genero__c"] == "Nao_binario"


@pytest.mark.parametrize(
    "fault",
    [
        {"mode": "error", "status": 400, "code": "INVALID_OR_NULL_FOR_RESTRICTED_PICKLIST"},
        {"mode": "error", "status": 403, "code": "INSUFFICIENT_ACCESS"},
        {"mode": "error", "status": 404, "code": "NOT_FOUND"},
    ],
    ids=lambda fault: fault["status"],
)
def test_what_will_not_pass_is_dead_at_once(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
    fault: dict[str, Any],
) -> None:
    own(BRUNO, genero="Nao_binario")
    crm.faults({"operation": "update"} | fault)
    send()
    found = letter(BRUNO)
    assert (found["status"], found["given_up"], codes(found)) == ("failed", True, [(fault["status"], fault["code"])])
    assert kinds(BRUNO) == ["update"] * (2 if fault["status"] == 404 else 1)  # 404: after a second look-up


def test_several_accounts_at_the_creation_are_dead_at_once(
    own: Own, send: Callable[..., None], crm: RunningCrm, letter: Callable[[str], Any], person: str
) -> None:
    own(person, genero="Nao_binario")
    crm.faults({"operation": "upsert", "mode": "duplicate"})
    send()
    assert codes(letter(person)) == [(300, "MULTIPLE_CHOICES")]


def test_a_person_created_by_somebody_else_meanwhile_is_written(
    own: Own, send: Callable[..., None], crm: RunningCrm, letter: Callable[[str], Any], person: str
) -> None:
    own(person, genero="Nao_binario")
    send()
    own(person, genero="Homem_cisgenero")
    crm.faults({"operation": "query", "mode": "error", "status": 404, "code": "NOT_FOUND", "times": 1})
    send()
    assert (crm.accounts(person)[0]["Genero__c"], letter(person)) == ("Homem_cisgenero", None)


@pytest.mark.cases("registry", "X6")
def test_too_long_a_text_names_its_field_and_the_next_change_revives_the_push(
    own: Own, send: Callable[..., None], crm: RunningCrm, letter: Callable[[str], Any]
) -> None:
    own(BRUNO, email="x" * 90 + "@casa.example")
    send()
    dead = letter(BRUNO)
    [attempt] = json.loads(dead["attempts_log"])
    assert (dead["status"], attempt["code"], attempt["fields"]) == ("failed", "STRING_TOO_LONG", ["PersonEmail"])
    assert "casa.example" not in dead["attempts_log"]
    own(BRUNO, email="curto@casa.example")
    alive = letter(BRUNO)
    assert (alive["status"], alive["attempts"], alive["given_up"], codes(alive)) == ("queued", 0, False, [])
    send()
    assert (crm.accounts(BRUNO)[0]["PersonEmail"], letter(BRUNO)) == ("curto@casa.example", None)


def test_a_revived_push_leaves_no_dead_lettered_job_behind(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, person: str
) -> None:
    own(person, email="x" * 90 + "@casa.example")
    send()
    [dead] = sql("SELECT job FROM registry.outbox WHERE cpf = $1", person)
    own(person, email="curto@casa.example")
    assert sql("SELECT FROM queue.pgqueuer WHERE id = $1", dead["job"]) == []


def test_a_push_whose_job_was_dropped_begins_anew_with_the_next_change(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, person: str
) -> None:
    own(person, genero="Nao_binario")
    sql("DELETE FROM queue.pgqueuer WHERE id = (SELECT job FROM registry.outbox WHERE cpf = $1)", person)
    send()
    assert crm.accounts(person) == []
    own(person, nomeExibicao="Bia")
    send()
    [account] = crm.accounts(person)
    assert (account["Genero__c"], account["NomeExibicao__c"]) == ("Nao_binario", "Bia")


@pytest.mark.cases("registry", "X5")
def test_after_its_tries_a_push_is_dead_and_an_operator_can_revive_it(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, letter: Callable[[str], Any]
) -> None:
    own(CARLA, genero="Nao_binario")
    crm.faults({"mode": "error", "cpf": CARLA})
    for _ in range(8):
        assert letter(CARLA)["status"] == "queued"
        send()
    dead = letter(CARLA)
    assert (dead["status"], codes(dead)) == ("failed", [(500, "UNKNOWN_EXCEPTION")] * 8)
    assert "Nao_binario" not in dead["dirty"] + dead["attempts_log"]
    send()
    assert letter(CARLA)["status"] == "failed"
    crm.faults()
    sql(REQUEUE, sql("SELECT job FROM registry.outbox WHERE cpf = $1", CARLA)[0]["job"])
    send()
    assert (crm.accounts(CARLA)[0]["Genero__c"], letter(CARLA)) == ("Nao_binario", None)


async def test_the_log_keeps_the_last_ten_tries(platform: Platform, crm: RunningCrm, person: str) -> None:
    await declare(operator_call(platform, "registry.test"), Cpf(person), {"genero": "Nao_binario"})
    [row] = await platform_rows(platform, LETTER, person)
    async with platform.database.transaction() as connection:
        for number in range(12):
            tried: dict[str, Any] = {"status": None, "code": f"TRY_{number}", "fields": [], "duration": 0.0}
            await store.record_push_failure(connection, row["id"], tried, given_up=False)
    [row] = await platform_rows(platform, LETTER, person)
    assert [code for _, code in codes(row)] == [f"TRY_{number}" for number in range(2, 12)]


@pytest.mark.cases("registry", "X7")
def test_the_crms_own_pause_counts_when_it_is_longer(
    own: Own, send: Callable[..., None], crm: RunningCrm, letter: Callable[[str], Any]
) -> None:
    for asked, least, most in ((120, 119, 121), (100_000, 3_590, 3_601)):
        own(BRUNO, genero="Nao_binario")
        crm.faults({"operation": "update", "mode": "rate_limit", "retry_after": asked})
        send()
        assert least < letter(BRUNO)["wait"] < most


def test_try_n_waits_twice_as_long_as_the_one_before_but_no_longer_than_a_quarter_of_an_hour() -> None:
    [kind] = JOBS
    for made, seconds in ((0, 5), (1, 10), (4, 80), (7, 640), (8, 900), (40, 900)):
        assert timedelta(seconds=seconds / 2) <= kind.delay(made) <= timedelta(seconds=seconds * 1.5)


@pytest.mark.cases("registry", "X8")
def test_a_change_that_took_effect_before_its_answer_was_lost_is_repeated_without_harm(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
    person: str,
) -> None:
    own(person, genero="Nao_binario")
    crm.faults({"operation": "upsert", "mode": "reset", "applied": "after", "times": 1})
    send()
    send()
    assert kinds(person) == ["upsert", "update"]
    assert ([found["Genero__c"] for found in crm.accounts(person)], letter(person)) == (["Nao_binario"], None)


@pytest.mark.cases("registry", "X3")
def test_a_change_during_the_call_is_sent_after_it(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
    person: str,
) -> None:
    """The row is not lost with the confirmation of the value before."""
    own(person, genero="Nao_binario")
    send()
    own(person, genero="Homem_cisgenero")
    crm.faults({"operation": "update", "mode": "latency", "ms": 1_000, "times": 1})
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(send)
        until_now(lambda: "update" in kinds(person))
        own(person, genero="Mulher_cisgenero")
        sending.result()
    assert kinds(person) == ["upsert", "update", "update"]
    assert (crm.accounts(person)[0]["Genero__c"], letter(person)) == ("Mulher_cisgenero", None)


def test_a_change_during_a_call_that_is_refused_is_tried_in_its_turn(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
) -> None:
    own(BRUNO, email="x" * 90 + "@casa.example")
    crm.faults({"operation": "update", "mode": "latency", "ms": 1_000, "times": 1})
    with ThreadPoolExecutor(1) as pool:
        sending = pool.submit(send)
        until_now(lambda: "update" in kinds(BRUNO))
        own(BRUNO, email="curto@casa.example")
        sending.result()
    assert (crm.accounts(BRUNO)[0]["PersonEmail"], letter(BRUNO)) == ("curto@casa.example", None)


def test_a_job_that_runs_a_second_time_finds_nothing_to_do(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, kinds: Callable[[str], list[str]], person: str
) -> None:
    """Its worker was killed after the confirmation, before the queue was told."""
    own(person, genero="Nao_binario")
    [job] = sql(
        "SELECT payload FROM queue.pgqueuer WHERE id = (SELECT job FROM registry.outbox WHERE cpf = $1)", person
    )
    send()
    sql(
        "INSERT INTO queue.pgqueuer (priority, status, entrypoint, payload) VALUES (0, 'queued', 'crm_push', $1)",
        job[0],
    )
    send()
    assert kinds(person) == ["upsert"]


@pytest.mark.cases("registry", "X8")
def test_a_push_whose_worker_was_killed_is_taken_by_another(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, letter: Callable[[str], Any], person: str
) -> None:
    own(person, genero="Nao_binario")
    sql(
        "UPDATE queue.pgqueuer SET status = 'picked', queue_manager_id = gen_random_uuid(), execute_after = now(), "
        "heartbeat = now() - interval '1 hour' WHERE id = (SELECT job FROM registry.outbox WHERE cpf = $1)",
        person,
    )
    send()
    assert (crm.accounts(person)[0]["Genero__c"], letter(person)) == ("Nao_binario", None)


@pytest.mark.cases("registry", "X7")
async def test_while_the_crm_is_down_changes_wait_and_all_are_delivered_afterwards(
    platform: Platform, crm: RunningCrm
) -> None:
    """An hour of it, by the circuit's own clock."""
    now = [0.0]
    platform.part(CrmClient).circuit = Circuit(lambda: now[0])
    people = [Cpf.with_stem(f"94{number:07}") for number in range(CHANGED)]
    for cpf in people:
        await declare(operator_call(platform, "registry.test"), cpf, {"genero": "Nao_binario"})
    crm.faults({"mode": "error", "status": 503, "code": "SERVER_UNAVAILABLE"})
    tries = 0
    while now[0] < 3_600:
        await worked(platform)
        tries += 1
        now[0] += 901  # whatever the circuit waits for, it lets one probe through
    crm.switch.delete("/requests")
    waiting = [row for cpf in people for row in await platform_rows(platform, LETTER, cpf.digits)]
    assert [row["status"] for row in waiting] == ["queued"] * CHANGED
    assert sum(row["attempts"] for row in waiting) <= IN_A_ROW + AT_ONCE + tries
    crm.faults()
    for _ in range(CHANGED):
        now[0] += 301
        await worked(platform)
        if not await platform_rows(platform, WAITING, [cpf.digits for cpf in people]):
            break
    assert [len(crm.accounts(cpf.digits)) for cpf in people] == [1] * CHANGED


async def test_an_open_circuit_is_not_called_at_all(platform: Platform, crm: RunningCrm, person: str) -> None:
    await declare(operator_call(platform, "registry.test"), Cpf(person), {"genero": "Nao_binario"})
    circuit = platform.part(CrmClient).circuit
    for _ in range(IN_A_ROW):
        circuit.record_failure(circuit.admit())
    await worked(platform)
    [row] = await platform_rows(platform, LETTER, person)
    assert (crm.operations(), row["status"], row["attempts"], codes(row)) == ([], "queued", 0, [])
    assert row["wait"] > 25


@pytest.mark.parametrize(
    "faults",
    [
        [{"mode": "error"}, {"mode": "rate_limit"}],
        [{"mode": "reset"}, {"mode": "reset", "applied": "after"}],
    ],
    ids=lambda faults: "-".join(fault["mode"] for fault in faults),
)
def test_each_persons_changes_arrive_in_their_order(
    own: Own, send: Callable[..., None], crm: RunningCrm, sql: Sql, faults: list[dict[str, Any]], person: str
) -> None:
    people = [Cpf.with_stem(f"95{int(person[2:9]):05}{number:02}").digits for number in range(size(6, 20))]
    crm.faults(*({"probability": 0.4, "seed": number} | fault for number, fault in enumerate(faults, 1)))
    for step in range(STEPS):
        for cpf in people:
            own(cpf, nomeExibicao=f"passo {step:03}")
        send()
    crm.faults()
    send()
    send()
    for cpf in people:
        shown = shown_names(crm, cpf)
        assert shown == sorted(shown)
        assert shown[-1] == f"passo {STEPS - 1:03}"
    assert sql(WAITING, people) == []


async def test_pushes_and_logins_share_the_circuit(platform: Platform, crm: RunningCrm, person: str) -> None:
    await declare(operator_call(platform, "registry.test"), Cpf(person), {"genero": "Nao_binario"})
    crm.faults({"mode": "error"})
    for _ in range(IN_A_ROW):
        await worked(platform)
    crm.switch.delete("/requests")
    with pytest.raises(CrmAway) as raised:
        await platform.part(CrmClient).look_up(Cpf(BRUNO), Deadline.within(1))
    assert (raised.value.code, crm.operations()) == (CIRCUIT_OPEN, [])


@pytest.mark.parametrize(
    ("number", "kept"),
    [(151, (500, "UNKNOWN_EXCEPTION")), (161, (429, "REQUEST_LIMIT_EXCEEDED")), (171, (None, "TIMEOUT"))],
)
def test_the_demos_simulators_fail_in_their_ways(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    number: int,
    kept: tuple[int, str],
) -> None:
    cpf = Cpf.with_stem(f"900000{number}").digits
    own(cpf, genero="Nao_binario")
    send()
    assert codes(letter(cpf)) == [kept]


async def test_the_demo_has_a_dead_lettered_job(platform: Platform, crm: RunningCrm) -> None:
    await demo.load(platform)
    await demo.load(platform)
    await worked(platform)
    [row] = await platform_rows(platform, LETTER, demo.HEITOR.digits)
    assert (row["status"], codes(row)) == ("failed", [(400, "STRING_TOO_LONG")])


def shown_names(crm: RunningCrm, cpf: str) -> list[str]:
    """All that the CRM's account of a person ever held, from the file that the CRM keeps."""
    lines = (crm.settings.data_dir / STATE_FILE).read_text("utf-8").splitlines()
    records = [line.get("record", {}) for line in map(json.loads, lines)]
    return [record["NomeExibicao__c"] for record in records if record.get("CPF__c") == cpf and "FirstName" in record]


async def worked(platform: Platform) -> None:
    """What the worker of this process does when everything that waits is due."""
    await platform_rows(platform, DUE)
    await Worker(platform.database, app.list_jobs(), platform).drain()


async def platform_rows(platform: Platform, statement: str, *args: Any) -> list[Any]:
    async with platform.database.connection() as connection:
        return list(await connection.fetch(statement, *args))
