"""Pushes wait for the circuit breaker while the CRM is down. None is lost, and each person's order is preserved."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from balcao.core.context.call import operator_call
from balcao.core.context.platform import Platform
from balcao.core.jobs.worker import MOST_CONCURRENT
from balcao.core.values.cpf import Cpf
from balcao.crm.circuit import CIRCUIT_OPEN, IN_A_ROW, Circuit
from balcao.crm.client import CrmClient
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway
from balcao.settings import Settings
from balcao_sandbox.crm.server import STATE_FILE
from tests.registry.conftest import Own, declare
from tests.registry.crm.pushes import LETTER, WAITING, codes, platform_rows, worked
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Sql
from tests.support.proof_sizes import size

pytestmark = pytest.mark.long

BRUNO = "90000000256"
CHANGED = size(30, 1_000)
STEPS = size(4, 15)


@pytest.fixture(scope="module")
def settings(running_crm: RunningCrm) -> Settings:
    return running_crm.settings


@pytest.mark.cases("registry", "X7")
async def test_while_the_crm_is_down_changes_wait_and_all_are_delivered_afterwards(
    platform: Platform, crm: RunningCrm
) -> None:
    """The outage lasts an hour on the circuit breaker's clock, which the test sets."""
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
        now[0] += 901  # after each wait, the circuit breaker allows one probe
    crm.switch.delete("/requests")
    waiting = [row for cpf in people for row in await platform_rows(platform, LETTER, cpf.digits)]
    assert [row["status"] for row in waiting] == ["queued"] * CHANGED
    assert sum(row["attempts"] for row in waiting) <= IN_A_ROW + MOST_CONCURRENT + tries
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
        send(crm_push_attempts=100)  # enough attempts that no push is dead-lettered
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


def shown_names(crm: RunningCrm, cpf: str) -> list[str]:
    """Read the CRM's file, and return all names that the account of a person has ever had."""
    lines = (crm.settings.data_dir / STATE_FILE).read_text("utf-8").splitlines()
    records = [line.get("record", {}) for line in map(json.loads, lines)]
    return [record["NomeExibicao__c"] for record in records if record.get("CPF__c") == cpf and "FirstName" in record]
