"""The CRM client's calls for the login sync, against the sandbox CRM."""

import asyncio

import httpx
import pytest

from balcao.core.errors import Unavailable
from balcao.core.logs import request_id
from balcao.core.values.cpf import Cpf
from balcao.crm.circuit import IN_A_ROW, State
from balcao.crm.client import CrmClient, Upserted, open_crm_client
from balcao.crm.deadline import Deadline
from balcao.crm.failures import CrmAway, CrmRefused
from balcao.settings import Settings
from balcao_sandbox.identity.demo import people
from tests.support.crm import RunningCrm
from tests.support.polling import PATIENCE

BRUNO, CARLA, DAVI, JOAO = (Cpf(digits) for digits in ("90000000256", "90000000337", "90000000418", "90000001066"))
UNKNOWN_PERSON = Cpf.with_stem("900000199")  # no other test uses this CPF
NEW = {"nome": "Davi Furtado", "email": "davi@exemplo.example", "idioma": ["Portugues_Brasil"], "contaOrigem": "Portal"}


def patience() -> Deadline:
    return Deadline.within(PATIENCE)


async def test_an_account_is_found_with_the_keys_of_the_specification(client: CrmClient) -> None:
    account = await client.look_up(CARLA, patience())
    assert account is not None
    cidadao = account.cidadao
    assert cidadao["cpf"] == CARLA.digits
    assert cidadao["accountId"] == account.id
    assert cidadao["nome"] == "Carla Nogueira"
    assert cidadao["dataNascimento"] == "1972-02-20"
    assert cidadao["idioma"] == ["Portugues_Brasil", "Libras"]
    assert cidadao["isTourist"] is False
    assert cidadao["endereco"]["logradouro"] == "Rua das Acácias, 45"
    assert [consent["status"] for consent in cidadao["consentimento"]] == ["OUT", "IN", "IN"]
    assert not {"nomeSocial", "contaOrigem", "cidade"} & cidadao.keys()
    assert None not in cidadao.values()


async def test_the_demo_people_have_the_emails_that_login_sync_needs(client: CrmClient) -> None:
    given = {person.cpf: person.email for person in people()}
    bruno, carla = await client.look_up(BRUNO, patience()), await client.look_up(CARLA, patience())
    assert bruno is not None
    assert carla is not None
    assert bruno.cidadao["email"] == given[BRUNO.digits].upper()
    assert carla.cidadao["email"].lower() != given[CARLA.digits]


async def test_a_person_without_account_is_not_found(client: CrmClient) -> None:
    assert await client.look_up(DAVI, patience()) is None


async def test_an_update_writes_only_the_named_fields(client: CrmClient, crm: RunningCrm) -> None:
    account = await client.look_up(BRUNO, patience())
    assert account is not None
    await client.update(account.id, {"email": "bruno@novo.example", "canalUltimaModificacao": "Portal"}, patience())
    assert [entry["fields"] for entry in crm.requests() if entry["operation"] == "update"] == [
        ["CanalUltimaModificacao__c", "PersonEmail"]
    ]
    [stored] = crm.accounts(BRUNO.digits)
    assert (stored["PersonEmail"], stored["ContaOrigem__c"]) == ("bruno@novo.example", "Central de atendimento")


async def test_an_upsert_creates_once_and_then_finds_what_exists(client: CrmClient) -> None:
    assert await client.upsert(DAVI, NEW, patience()) is Upserted.CREATED
    assert await client.upsert(DAVI, NEW, patience()) is Upserted.EXISTED
    account = await client.look_up(DAVI, patience())
    assert account is not None
    assert (account.cidadao["nome"], account.cidadao["email"]) == (NEW["nome"], NEW["email"])


async def test_fifty_upserts_at_once_make_one_account(client: CrmClient, crm: RunningCrm) -> None:
    outcomes = await asyncio.gather(*(client.upsert(DAVI, NEW, patience()) for _ in range(50)))
    assert outcomes.count(Upserted.CREATED) == 1
    assert len(crm.accounts(DAVI.digits)) == 1


async def test_several_accounts_answer_with_the_oldest(client: CrmClient) -> None:
    account = await client.look_up(JOAO, patience())
    assert account is not None
    assert account.cidadao["email"] == "joao.pacheco@correio.example"
    assert await client.upsert(JOAO, NEW, patience()) is Upserted.EXISTED


@pytest.mark.parametrize(
    "fault",
    [{"mode": "duplicate"}, {"mode": "error", "status": 400, "code": "DUPLICATE_VALUE", "operation": "upsert"}],
    ids=["two accounts", "DUPLICATE_VALUE"],
)
async def test_an_upsert_that_meets_another_account_says_that_it_existed(
    client: CrmClient, crm: RunningCrm, fault: dict[str, object]
) -> None:
    crm.faults(fault)
    assert await client.upsert(DAVI, NEW, patience()) is Upserted.EXISTED


async def test_one_token_serves_many_calls(client: CrmClient, crm: RunningCrm) -> None:
    await asyncio.gather(*(client.look_up(BRUNO, patience()) for _ in range(5)))
    assert [entry["operation"] for entry in crm.requests()].count("token") == 1


async def test_a_refused_token_is_renewed_once(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "expired_token", "operation": "upsert", "times": 1})
    assert await client.upsert(DAVI, NEW, patience()) is Upserted.CREATED
    assert [entry["operation"] for entry in crm.requests()] == ["token", "upsert", "token", "upsert"]


async def test_a_token_refused_again_is_a_failure(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "expired_token", "operation": "upsert"})
    with pytest.raises(CrmAway):
        await client.upsert(DAVI, NEW, patience())
    assert crm.operations() == ["upsert", "upsert"]


@pytest.mark.long
@pytest.mark.parametrize(
    "fault",
    [
        {"mode": "reset"},
        {"mode": "reset", "applied": "after"},
        {"mode": "error"},
        {"mode": "error", "status": 503, "code": "SERVER_UNAVAILABLE"},
        {"mode": "rate_limit"},
        {"mode": "rate_limit", "retry_after": 1},
    ],
    ids=lambda fault: "-".join(map(str, fault.values())),
)
async def test_a_passing_fault_is_overcome_by_trying_again(
    client: CrmClient, crm: RunningCrm, fault: dict[str, object]
) -> None:
    crm.faults({**fault, "operation": "upsert", "times": 2})
    await client.upsert(DAVI, NEW, patience())
    assert crm.operations() == ["upsert"] * 3
    assert len(crm.accounts(DAVI.digits)) == 1


@pytest.mark.parametrize(
    ("fault", "tries"),
    [
        ({"mode": "reset"}, 3),
        ({"mode": "error"}, 3),
        ({"mode": "garbage"}, 1),
        ({"mode": "rate_limit", "retry_after": 600}, 1),
        ({"mode": "error", "status": 403, "code": "REQUEST_LIMIT_EXCEEDED"}, 1),
        ({"mode": "error", "status": 400, "code": "UNABLE_TO_LOCK_ROW"}, 1),
    ],
    ids=lambda value: "-".join(map(str, value.values())) if isinstance(value, dict) else str(value),
)
async def test_a_lasting_fault_is_a_502(
    client: CrmClient, crm: RunningCrm, fault: dict[str, object], tries: int
) -> None:
    crm.faults({**fault, "operation": "upsert"})
    with pytest.raises(CrmAway) as raised:
        await client.upsert(DAVI, NEW, patience())
    assert (raised.value.status, raised.value.code) == (502, "crm-away")
    assert crm.operations() == ["upsert"] * tries


async def test_what_the_crm_asks_to_wait_is_told_to_the_caller(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "rate_limit", "retry_after": 600})
    with pytest.raises(CrmAway) as raised:
        await client.look_up(BRUNO, patience())
    assert raised.value.retry_after == 600


async def test_a_slow_answer_ends_with_the_budget(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "latency", "ms": PATIENCE * 1_000, "operation": "query"})
    async with asyncio.timeout(PATIENCE / 2):
        with pytest.raises(CrmAway):
            await client.look_up(BRUNO, Deadline.within(0.3))


async def test_a_slow_answer_is_tried_again_within_the_budget(crm: RunningCrm) -> None:
    crm.faults({"mode": "latency", "ms": PATIENCE * 1_000, "operation": "upsert", "times": 1})
    async with open_crm_client(crm.settings, httpx.Timeout(0.3, connect=2.0)) as client:
        await client.upsert(DAVI, NEW, patience())
    assert crm.operations() == ["upsert", "upsert"]


async def test_a_budget_that_is_over_asks_nothing(client: CrmClient, crm: RunningCrm) -> None:
    with pytest.raises(CrmAway):
        await client.look_up(BRUNO, Deadline.within(0))
    assert crm.operations() == []


async def test_a_refusal_names_code_and_fields_and_nothing_else(client: CrmClient) -> None:
    with pytest.raises(CrmRefused) as raised:
        await client.upsert(DAVI, {**NEW, "email": "x" * 81}, patience())
    refusal = raised.value
    assert (refusal.http_status, refusal.error_code, refusal.fields) == (400, "STRING_TOO_LONG", ("PersonEmail",))
    assert (refusal.status, refusal.code) == (502, "crm-refused")


async def test_wrong_credentials_are_mended_by_an_operator_so_another_try_may_succeed(crm: RunningCrm) -> None:
    async with open_crm_client(crm.settings.model_copy(update={"crm_client_id": "outro"})) as client:
        with pytest.raises(CrmAway) as raised:
            await client.look_up(BRUNO, patience())
    assert (raised.value.http_status, raised.value.error_code) == (401, "TOKEN_REFUSED")


async def test_without_configuration_every_call_is_unavailable() -> None:
    async with open_crm_client(Settings(crm_url_override="")) as client:
        for call in (client.look_up(BRUNO, patience()), client.upsert(DAVI, NEW, patience())):
            with pytest.raises(Unavailable) as raised:
                await call
            assert raised.value.code == "crm-not-configured"


async def test_an_address_where_nobody_answers_is_a_502() -> None:
    async with open_crm_client(Settings(crm_url_override="http://127.0.0.1:9")) as client:
        with pytest.raises(CrmAway):
            await client.look_up(BRUNO, patience())


async def test_failures_in_a_row_open_the_circuit_for_everybody(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "garbage", "operation": "query"})
    for _ in range(IN_A_ROW):
        with pytest.raises(CrmAway):
            await client.look_up(BRUNO, patience())
    crm.reset()
    with pytest.raises(CrmAway) as raised:
        await client.upsert(DAVI, NEW, patience())
    assert client.circuit.state is State.OPEN
    assert raised.value.code == "crm-circuit-open"
    assert raised.value.retry_after is not None
    assert 1 <= raised.value.retry_after <= 30
    assert crm.requests() == []


async def test_refusals_never_open_the_circuit(client: CrmClient, crm: RunningCrm) -> None:
    crm.faults({"mode": "error", "status": 400, "code": "INVALID_FIELD", "operation": "query"})
    for _ in range(IN_A_ROW + 1):
        with pytest.raises(CrmRefused):
            await client.look_up(BRUNO, patience())
    assert client.circuit.state is State.CLOSED


async def test_each_call_carries_the_request_id(client: CrmClient, crm: RunningCrm) -> None:
    token = request_id.set("pedido-1")
    await client.look_up(UNKNOWN_PERSON, patience())
    request_id.reset(token)
    assert {entry["request_id"] for entry in crm.requests(cpf=UNKNOWN_PERSON.digits)} == {"pedido-1"}
    assert "pedido-1" in {entry["request_id"] for entry in crm.requests() if entry["operation"] == "token"}


@pytest.mark.long
@pytest.mark.parametrize("number", [151, 160, 161, 170])
async def test_the_simulated_people_fail_by_their_number(client: CrmClient, number: int) -> None:
    with pytest.raises(CrmAway):
        await client.look_up(simulated(number), patience())


async def test_the_simulated_slow_people_outlast_a_short_budget(client: CrmClient) -> None:
    with pytest.raises(CrmAway):
        await client.look_up(simulated(171), Deadline.within(0.5))


def simulated(number: int) -> Cpf:
    digits = str(900_000_000 + number)
    return next(filter(None, (Cpf.parse(f"{digits}{check:02d}") for check in range(100))))
