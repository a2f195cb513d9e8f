"""A citizen's phone and the verification of its number (rules: registry 2.3, 2.4, 4.7)."""

import asyncio
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from balcao import app
from balcao.core.context.platform import Platform, assemble
from balcao.core.errors import NotFound, TooMany
from balcao.core.jobs.worker import Retry
from balcao.core.values.cpf import Cpf
from balcao.registry.crm.events.service import apply_crm_event
from balcao.registry.person.phones import service, store
from balcao.registry.person.phones.api import PERSONAL_DATA
from balcao.registry.person.phones.code import unseal_code
from balcao.registry.person.phones.schemas import ConfirmationBody, PhoneBody
from balcao.settings import Settings
from tests.registry.declared_values import Citizen
from tests.registry.person.phones.numbers import (
    AGE,
    AGE_COUNTS,
    HELD,
    digits,
    mobile,
    other_than,
    registers,
)
from tests.registry.registry_client import RegistryClient
from tests.support.crm import RunningCrm
from tests.support.fixture_types import Drain, Sql
from tests.support.issuer import Issuer
from tests.support.log_scan import folder
from tests.support.open_platform import opened
from tests.support.operator_calls import acting
from tests.support.polling import PATIENCE
from tests.support.proof_sizes import size
from tests.support.refusals import refusal
from tests.support.rules import read_values
from tests.support.server import RunningServer

FUTURE = "2099-01-01T00:00:00Z"


@pytest.mark.cases("registry", "G6")
@pytest.mark.parametrize(
    ("phone", "fields"),
    [
        (mobile(), ["telefone1", "telefonePrincipal"]),
        (mobile(ddi="+55", valor="33334444"), ["telefone1", "telefonePrincipal"]),
        ({"ddi": "1", "valor": "2125550100"}, ["telefonePrincipal", "telefoneInternacional"]),
        ({"ddi": "+351", "ddd": "", "valor": "912345678"}, ["telefonePrincipal", "telefoneInternacional"]),
        ({"ddi": "44", "ddd": "20", "valor": "79460000"}, ["telefonePrincipal", "telefoneInternacional"]),
    ],
    ids=["mobile", "landline", "no area code", "empty area code", "area code abroad"],
)
def test_a_number_counts_once_its_code_came_back(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql, phone: dict[str, str], fields: list[str]
) -> None:
    answer = citizen.put("phone", phone)
    assert (answer.status_code, set(answer.json())) == (200, {"message"})
    assert (citizen.main("telefone"), sql("SELECT FROM registry.mirror_head WHERE cpf = $1", citizen.cpf)) == (None, [])
    answer = citizen.post("phone/validate", phone | {"code": code_of(phone)})
    assert (answer.status_code, set(answer.json())) == (200, {"message"})
    main = citizen.main("telefone")
    shown = {"ddi": phone["ddi"].lstrip("+"), "ddd": phone.get("ddd", ""), "valor": phone["valor"]}
    assert {name: main[name] for name in shown} == shown
    assert (main["origem"], main["sistema"]) == ("self-declared", "registry")
    written = digits(phone) if shown["ddi"] == "55" else f"+{digits(phone)}"
    assert registers(sql, citizen) == dict.fromkeys(fields, written)


@pytest.mark.cases("registry", "N9")
def test_who_confirms_a_number_has_it_in_the_phone_book_whoever_had_it_before(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], http: httpx.Client, issuer: Issuer
) -> None:
    staff = RegistryClient(http, issuer.admin())
    former, phone = Citizen.new(http, issuer), mobile()
    path = f"/phone/+{digits(phone)}"
    body = {"cpf": former.cpf, "channel": "web"}
    assert RegistryClient(http, issuer.person(former.cpf))("POST", f"{path}/bind", body).status_code == 200
    assert staff("POST", f"{path}/opt-in", body).json() == {"status": "opted_in"}
    assert citizen.put("phone", phone).status_code == 200
    assert staff.ok("GET", f"{path}/status")["cpf"] == Cpf(former.cpf).masked  # the number has no proof yet
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}).status_code == 200
    shown = staff.ok("GET", f"{path}/status")
    assert (shown["cpf"], shown["opt_in"]) == (Cpf(citizen.cpf).masked, False)
    assert staff("POST", f"{path}/bind", {"cpf": citizen.cpf, "channel": "whatsapp"}).status_code == 200
    assert refusal(staff("POST", f"{path}/opt-in", body)) == (409, "phone-not-bound")


def test_the_message_says_what_the_code_is_for_and_how_long_it_lasts(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], running_crm: RunningCrm
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    (sent,) = running_crm.switch.get("/codes", params={"to": digits(phone)}).json()
    assert sent["text"] == f"Seu código da prefeitura é {code}. Ele vale por 10 min. Não o passe a ninguém."


@pytest.mark.cases("registry", "G6")
@pytest.mark.parametrize(("parts", "member", "code"), read_values("registry", "G6"))
def test_what_is_no_number_is_refused(
    citizen: Citizen, sql: Sql, parts: dict[str, Any], member: str, code: str
) -> None:
    for answer in (
        citizen.put("phone", mobile() | parts),
        citizen.post("phone/validate", {"code": "123456"} | mobile() | parts),
    ):
        assert (*refusal(answer), set(answer.json())) == (400, code, {"error", "message"})
        assert member in answer.json()["error"]
    assert sql(HELD, citizen.cpf) == []


def test_the_same_number_is_no_change_until_it_has_aged(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}).status_code == 200
    again = citizen.put("phone", phone)
    assert (again.status_code, again.headers["Error-Code"]) == (409, "no-change")
    sql("UPDATE registry.register SET at = at - interval '181 days' WHERE cpf = $1", citizen.cpf)
    sql(AGE_COUNTS, 61.0)
    assert citizen.put("phone", phone).status_code == 200


def test_a_confirmed_number_wins_over_what_the_crm_said_before(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], drain: Drain
) -> None:
    phone = {"ddi": "1", "valor": "2125550111"}
    citizen.event({"telefone1": "5521933332222"}, "2098-01-01T00:00:00Z")
    drain()
    assert citizen.main("telefone")["valor"] == "933332222"
    assert citizen.put("phone", phone).status_code == 200
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}).status_code == 200
    assert (citizen.main("telefone")["ddi"], citizen.main("telefone")["valor"]) == ("1", "2125550111")
    citizen.event({"telefonePrincipal": "+1 (212) 555-0111"}, "2098-06-01T00:00:00Z")
    drain()
    assert (citizen.main("telefone")["ddi"], citizen.main("telefone")["valor"]) == ("1", "2125550111")


def test_a_phone_is_declared_on_the_record_as_it_was_read(citizen: Citizen, sql: Sql) -> None:
    record = {"_id": "a", "nascimento": {"data": "1990-05-17"}}  # the displayed record also has a time and this flag
    sql(
        "INSERT INTO registry.base_record (cpf, record, source) VALUES ($1, $2, 'teste')",
        citizen.cpf,
        json.dumps(record),
    )
    known = citizen.read().headers["ETag"]
    citizen.declare("exhibition-name", "Aninha")
    assert refusal(citizen.put("phone", mobile(), **{"If-Match": known})) == (412, "precondition-failed")
    known = citizen.read().headers["ETag"]
    assert citizen.put("phone", mobile(), **{"If-Match": known}).status_code == 200


def test_only_owner_and_staff_declare_and_confirm_on_the_state_they_know(
    citizen: Citizen, issuer: Issuer, code_of: Callable[[dict[str, str]], str]
) -> None:
    phone, stranger = mobile(), issuer.person("90000000256")
    assert citizen.put("phone", phone, token=stranger).status_code == 403
    assert citizen.post("phone/validate", phone | {"code": "123456"}, token=stranger).status_code == 403
    assert citizen.put("phone", phone, **{"If-Match": '"other"'}).status_code == 412
    assert citizen.put("phone", phone, token=issuer.admin()).status_code == 200
    assert citizen.post("phone/validate", phone | {"code": code_of(phone)}, token=issuer.admin()).status_code == 200


def test_number_and_code_are_in_no_job_no_log_and_no_trail(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    jobs = sql("SELECT payload FROM queue.pgqueuer WHERE entrypoint = 'phone_code'")
    (held,) = sql(HELD, citizen.cpf)
    assert [json.loads(job["payload"]) for job in jobs if str(held["id"]).encode() in job["payload"]] == [
        {"verification": str(held["id"])}
    ]
    code = code_of(phone)
    assert code not in repr(tuple(held))
    assert sql(HELD, citizen.cpf)[0]["sealed_code"] is None
    assert refusal(citizen.post("phone/validate", phone | {"code": other_than(code)})) == (404, "phone-code-wrong")
    trail = repr([tuple(row) for row in sql("SELECT * FROM platform.audit_event")])
    logs = "".join(file.read_text("utf-8", errors="replace") for file in folder().glob("*.log"))
    assert not any(phone["valor"] in text or f'"{code}"' in text for text in (trail, logs))


def test_every_step_leaves_a_trace(citizen: Citizen, code_of: Callable[[dict[str, str]], str], sql: Sql) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    citizen.post("phone/validate", phone | {"code": other_than(code)})
    citizen.post("phone/validate", phone | {"code": code})
    trail = sql(
        "SELECT operation, action, actor_kind, fields, outcome FROM platform.audit_event WHERE subject = $1"
        " ORDER BY at, id",
        f"***.{citizen.cpf[3:6]}.{citizen.cpf[6:9]}-**",
    )
    assert [tuple(row) for row in trail] == [
        ("registry.declare_phone", "create", "owner", ["phone_verification"], "done"),
        ("registry.send_phone_code", "push", "worker", ["telefone"], "done"),
        ("registry.confirm_phone", "update", "owner", ["phone_verification"], "code_tried"),
        ("registry.confirm_phone", "update", "owner", ["phone_verification"], "code_tried"),
        ("registry.confirm_phone", "update", "owner", ["telefone"], "done"),
    ]


async def test_a_gateway_that_refuses_is_asked_again_and_the_code_kept_for_it(
    citizen: Citizen, sql: Sql, settings: Settings, database_url: str
) -> None:
    assert citizen.put("phone", mobile()).status_code == 200
    (held,) = await asyncio.to_thread(sql, HELD, citizen.cpf)
    for lost, code in (
        ({"phone_code_url_override": "http://127.0.0.1:1/"}, "phone-gateway-away"),
        ({"phone_code_secret": settings.crm_client_secret}, "phone-gateway-401"),
    ):
        platform = assemble(settings.model_copy(update=lost), database_url)
        async with opened(platform):
            with pytest.raises(Retry) as failure:
                await service.send_code(platform, str(held["id"]))
        assert failure.value.code == code
    (after,) = await asyncio.to_thread(sql, HELD, citizen.cpf)
    assert after["sealed_code"] == held["sealed_code"]


def test_without_a_gateway_no_code_is_promised(settings: Settings, database_url: str, issuer: Issuer, sql: Sql) -> None:
    lost = settings.model_copy(update={"phone_code_url_override": ""})
    with (
        RunningServer(app.build_application(lost, database_url)) as server,
        httpx.Client(base_url=server.url, timeout=PATIENCE) as http,
    ):
        citizen = Citizen.new(http, issuer)
        answer = citizen.put("phone", mobile())
    assert (answer.status_code, answer.headers["Error-Code"]) == (503, "phone-codes-not-configured")
    text = "O envio de códigos por telefone não está configurado."
    assert answer.json() == {"error": text, "message": text}
    assert sql(HELD, citizen.cpf) == []


def test_the_mailbox_takes_codes_only_from_the_platform(running_crm: RunningCrm) -> None:
    sent = {"to": "+5521900000000", "code": "123456"}
    assert running_crm.switch.post("/codes", json=sent).status_code == 401
    secret = running_crm.settings.phone_code_secret.get_secret_value()
    assert running_crm.switch.post("/codes", json=[], headers={"Authorization": f"Bearer {secret}"}).status_code == 400
    assert running_crm.switch.get("/codes", params={"to": sent["to"]}).json() == []


def test_a_clearing_erases_what_was_asked_for_before_it(
    citizen: Citizen, sql: Sql, drain: Drain, code_of: Callable[[dict[str, str]], str]
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    citizen.event(None, "2020-01-01T00:00:00Z", "anonimizacao")
    drain()
    assert len(sql(HELD, citizen.cpf)) == 1
    citizen.event(None, FUTURE, "anonimizacao")
    drain()
    assert sql(HELD, citizen.cpf) == []
    assert refusal(citizen.post("phone/validate", phone | {"code": code})) == (404, "phone-code-wrong")
    assert citizen.main("telefone") is None


ROTATED = {"hash_key": SecretStr("another key of the city, long enough to be one"), "hash_key_number": 2}


def test_codes_sent_before_the_hash_key_was_rotated_count_against_the_limits(
    citizen: Citizen, settings: Settings, database_url: str, sql: Sql
) -> None:
    phone = mobile()
    for _ in range(3):
        assert citizen.put("phone", phone).status_code == 200
        sql(AGE_COUNTS, 61.0)
    former = SecretStr(f"1={settings.hash_key.get_secret_value()}")
    rotated = settings.model_copy(update=ROTATED | {"former_hash_keys": former})
    with acting(rotated, database_url, "registry.declare_phone") as act:
        for _ in range(2):
            act(service.declare_phone, Cpf(citizen.cpf), PhoneBody(**phone))
            sql(AGE_COUNTS, 61.0)
        with pytest.raises(TooMany):  # a person gets five codes an hour, whatever the key
            act(service.declare_phone, Cpf(citizen.cpf), PhoneBody(**phone))
    # A server that still uses the old key adds to the same counts.
    assert refusal(citizen.put("phone", phone)) == (429, "phone-code-limit")


def test_a_code_counts_also_when_the_hash_key_was_rotated_after_it_was_sent(
    citizen: Citizen, code_of: Callable[[dict[str, str]], str], settings: Settings, database_url: str
) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    body = ConfirmationBody(**phone, code=code_of(phone))
    former = SecretStr(f"1={settings.hash_key.get_secret_value()}")

    def confirm(**changed: Any) -> None:
        rotated = settings.model_copy(update=ROTATED | changed)
        with acting(rotated, database_url, "registry.confirm_phone") as act:
            act(service.confirm_phone, Cpf(citizen.cpf), body)

    with pytest.raises(NotFound):
        confirm()
    confirm(former_hash_keys=former)
    assert citizen.main("telefone")["valor"] == phone["valor"]


async def test_a_confirmation_and_a_clearing_at_once_never_stop_each_other(
    http: httpx.Client, issuer: Issuer, platform: Platform, sql: Sql
) -> None:
    for _ in range(size(10, 200)):
        citizen, phone = Citizen.new(http, issuer), mobile()
        assert citizen.put("phone", phone).status_code == 200
        citizen.event(None, FUTURE, "anonimizacao")
        (held,) = await asyncio.to_thread(sql, HELD, citizen.cpf)
        (event,) = await asyncio.to_thread(sql, "SELECT id FROM registry.crm_event WHERE cpf = $1", citizen.cpf)
        body = phone | {"code": unseal_code(platform.audit.keys, held["sealed_code"])}
        answer, _ = await asyncio.gather(
            asyncio.to_thread(citizen.post, "phone/validate", body), apply_crm_event(platform, str(event["id"]))
        )
        assert answer.status_code in (200, 404)
        assert citizen.main("telefone") is None or answer.status_code == 200
        assert [row["valor"] for row in await asyncio.to_thread(sql, HELD, citizen.cpf)] in ([], [None])


def test_the_public_secret_is_refused_in_production_where_a_gateway_is_used() -> None:
    def refused(**fields: Any) -> bool:
        return any(
            "BALCAO_PHONE_CODE_SECRET" in text for text in Settings(profile="production", **fields).list_refusals()
        )

    url = "https://mensagens.example/codigos"
    assert refused(phone_code_url_override=url)
    assert not refused()
    assert not refused(phone_code_url_override=url, phone_code_secret=SecretStr("um segredo próprio"))


def test_the_persons_anonymisation_reaches_it(citizen: Citizen, sql: Sql, platform_run: Callable[..., Any]) -> None:
    assert citizen.put("phone", mobile()).status_code == 200
    cpf, now = Cpf(citizen.cpf), datetime.now(UTC) + timedelta(seconds=1)
    assert PERSONAL_DATA.erase is not None
    (first,), (second,) = [platform_run(PERSONAL_DATA.erase, cpf, now) for _ in range(2)]
    assert [(one.kind, one.count, one.fields) for one in (first, second)] == [
        ("phone_verification", 1, ["telefone"]),
        ("phone_verification", 0, ["telefone"]),
    ]
    assert platform_run(PERSONAL_DATA.export, cpf) == {}


def test_an_ended_verification_loses_its_number_and_after_a_day_goes(
    http: httpx.Client, issuer: Issuer, sql: Sql, platform_run: Callable[..., Any]
) -> None:
    expired, fresh, old = [Citizen.new(http, issuer) for _ in range(3)]
    for citizen, age in ((expired, 601.0), (fresh, 0.0), (old, 601.0 + 86_400)):
        assert citizen.put("phone", mobile()).status_code == 200
        sql(AGE, citizen.cpf, age)
    platform_run(store.erase_expired_verifications)

    def kept(citizen: Citizen) -> list[bool]:
        return [row["valor"] is not None and row["sealed_code"] is not None for row in sql(HELD, citizen.cpf)]

    assert (kept(expired), kept(fresh), kept(old)) == ([False], [True], [])
    sql(AGE_COUNTS, 86_401.0)
    platform_run(store.erase_expired_verifications)
    assert sql("SELECT FROM registry.phone_code_sent") == []


def test_a_code_may_be_pasted(citizen: Citizen, code_of: Callable[[dict[str, str]], str]) -> None:
    phone = mobile()
    assert citizen.put("phone", phone).status_code == 200
    code = code_of(phone)
    pasted = f"\u200b{code[:3]}\u00a0{code[3:]} "
    assert citizen.post("phone/validate", phone | {"code": pasted}).status_code == 200
