"""Tests for pushes that the CRM rejects: retries and dead-lettered jobs."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.push.jobs import JOBS
from balcao.registry.mirror import outbox_store as store
from balcao.registry.requests.lifecycle.jobs import JOBS as REQUEST_JOBS
from balcao.registry.requests.lifecycle.store import SEND_JOB
from balcao.settings import Settings
from balcao_sandbox.demo.registry import push as demo
from tests.registry.conftest import Own, declare
from tests.registry.crm.pushes import LETTER, codes, platform_rows, worked
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Sql
from tests.support.polling import until_now

BRUNO, CARLA = "90000000256", "90000000337"
AGAIN = "INSERT INTO queue.pgqueuer (priority, status, entrypoint, payload) VALUES (0, 'queued', 'crm_push', $1)"
REQUEUE = "UPDATE queue.pgqueuer SET status = 'queued', attempts = 0, execute_after = now() WHERE id = $1"
CHANGES = {"update", "upsert"}


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.fixture
def letter(sql: Sql) -> Callable[[str], Any]:
    """Return a function that reads the citizen's outbox row and the state of its job, or None if there is no row."""

    def call(cpf: str) -> Any:
        found = sql(LETTER, cpf)
        return found[0] if found else None

    return call


@pytest.fixture
def kinds(crm: RunningCrm) -> Callable[[str], list[str]]:
    return lambda cpf: [entry["operation"] for entry in crm.requests(cpf=cpf) if entry["operation"] in CHANGES]


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
    assert kinds(BRUNO) in ([], ["update"], ["update"] * 2)  # the second update uses a new token
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
    # After a 404, the push looks the account up again and retries.
    assert kinds(BRUNO) == ["update"] * (2 if fault["status"] == 404 else 1)


def test_several_accounts_at_the_creation_are_looked_up_again_later(
    own: Own, send: Callable[..., None], crm: RunningCrm, letter: Callable[[str], Any], person: str
) -> None:
    own(person, genero="Nao_binario")
    crm.faults({"operation": "upsert", "mode": "duplicate"})
    send()
    found = letter(person)
    assert (found["status"], codes(found)) == ("queued", [(300, "MULTIPLE_CHOICES")])
    crm.faults()
    send()
    assert ([one["Genero__c"] for one in crm.accounts(person)], letter(person)) == (["Nao_binario"], None)


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


@pytest.mark.long
@pytest.mark.cases("registry", "X5")
def test_after_its_tries_a_push_is_dead_and_an_operator_can_revive_it(
    own: Own, send: Callable[..., None], sql: Sql, crm: RunningCrm, letter: Callable[[str], Any]
) -> None:
    own(CARLA, genero="Nao_binario")
    crm.faults({"mode": "error", "cpf": CARLA})
    for _ in range(8):
        assert letter(CARLA)["status"] == "queued"
        send(crm_push_attempts=8)
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


def test_the_tries_outlast_an_outage_of_a_day_even_with_the_shortest_delays() -> None:
    [kind] = JOBS
    [request] = [one for one in REQUEST_JOBS if one.name == SEND_JOB]
    waits = Settings.model_fields["crm_push_attempts"].default - 1  # after the last try, the job is dead-lettered
    for each in (kind, request):
        shortest = sum(
            (min(each.longest_delay, each.first_delay * 2 ** min(n, 40)) / 2 for n in range(waits)), timedelta(0)
        )
        assert shortest > timedelta(hours=36)
        assert each.attempts > waits  # the queue itself does not give up first


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


@pytest.mark.long
@pytest.mark.cases("registry", "X3")
def test_a_change_during_the_call_is_sent_after_it(
    own: Own,
    send: Callable[..., None],
    crm: RunningCrm,
    letter: Callable[[str], Any],
    kinds: Callable[[str], list[str]],
    person: str,
) -> None:
    """If the citizen declares another value during a push, the first value's confirmation does not remove the row."""
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
    """A worker was killed after the confirmation and before it updated the queue."""
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


@pytest.mark.long
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
    await demo.load_demo_pushed_fields(platform)
    await demo.load_demo_pushed_fields(platform)
    await worked(platform)
    [row] = await platform_rows(platform, LETTER, demo.HEITOR.digits)
    assert (row["status"], codes(row)) == ("failed", [(400, "STRING_TOO_LONG")])
