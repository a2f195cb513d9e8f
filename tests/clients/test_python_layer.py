"""The sync and async runtime layer of our Python client: retries, versions, pages, errors, webhooks."""

import base64
import hmac
import importlib
import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import unquote

import httpx
import pytest
from standardwebhooks import Webhook

from balcao import __version__, app
from balcao.core.http.error_codes import Explanations, catalogue
from balcao.core.service import Service
from tests.clients.layer import Calling, answer, provider
from tests.support.demo_people import ANA
from tests.support.http_receiver import Answer, Receiver
from tools.error_codes import PACKAGES

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

REQUEST_ID = "7d6f0f7a-6a5b-4f0e-9a53-0d9a4f8f9d11"
BRAND = {"id": "0190a1b2-0000-7000-8000-000000000001", "name": "Maresia", "is_other": False, "deleted_at": None}
PREFERENCES = {"cpf": ANA, "opt_in": True, "category_opt_ins": {}, "updated_at": "2026-11-27T12:00:00Z"}
AVATAR = {"id": "a", "name": "Gato", "url": "/a.png", "is_active": True, "created_at": "2026-11-27T12:00:00Z"}
CHANGE = {"opt_in": False, "channel": "web"}
SECRET, FORMER = ("whsec_" + letter * 32 for letter in "Ab")
EVENT = {
    "type": "health_unit.changed",
    "timestamp": "2026-11-27T12:00:00Z",
    "data": {"sequencia": 1, "cnes": "9900001"},
}


def test_a_creation_is_tried_again_as_long_as_it_is_told_to_wait_with_one_key(
    call: Calling, platform: Receiver, waits: list[float]
) -> None:
    platform.answers += [answer(503, Retry_After="7"), answer(429, Retry_After="3"), answer(201, BRAND)]
    platform.usual = answer(201, BRAND)
    first, _ = call(*[lambda balcao: balcao.registry.add_vehicle_brand({"name": "Maresia"})] * 2)
    assert first.name == "Maresia"
    assert waits == [7, 3]
    *tries, other = [sent.headers["idempotency-key"] for sent in platform.received]
    assert len(tries) == 3
    assert len(set(tries)) == 1
    assert other not in tries


def test_a_key_of_the_callers_is_sent_as_it_is(call: Calling, platform: Receiver) -> None:
    platform.usual = answer(201, BRAND)
    call(lambda balcao: balcao.registry.add_vehicle_brand({"name": "Maresia"}, idempotency_key="pedido-4711"))
    assert [sent.headers["idempotency-key"] for sent in platform.received] == ["pedido-4711"]


def test_a_file_is_sent_as_it_is(call: Calling, platform: Receiver) -> None:
    file = {"id": "f", "media_type": "application/pdf", "size": 8, "sha256": "0", "width": None, "height": None}
    platform.usual = answer(201, file | {"created_at": "2026-11-27T12:00:00Z", "expires_at": None})
    found = call(lambda balcao: balcao.registry.store_file(ANA, b"%PDF-1.7"))[0]
    assert found.size == 8
    assert [sent.body for sent in platform.received] == [b"%PDF-1.7"]


def test_nobody_waits_for_longer_than_was_said_at_the_client(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    platform.usual = answer(429, {"error": "Devagar."}, Retry_After="31", Error_Code="too-many")
    with pytest.raises(client.faults.TooManyRequests) as refused:
        call(lambda balcao: balcao.registry.read_preferences(ANA))
    assert (refused.value.retry_after, refused.value.code) == (31, "too-many")
    assert (len(platform.received), waits) == (1, [])


def test_without_a_word_of_the_platforms_the_waits_grow_and_end(
    client: Any, call: Calling, platform: Receiver, waits: list[float]
) -> None:
    platform.usual = answer(502)
    with pytest.raises(client.faults.Unavailable):
        call(lambda balcao: balcao.registry.read_preferences(ANA))
    assert len(platform.received) == 4
    for waited, longest in zip(waits, (0.25, 0.5, 1), strict=True):
        assert longest / 2 <= waited <= longest


@pytest.mark.parametrize(
    "act",
    [
        lambda balcao: balcao.registry.change_preferences(ANA, CHANGE, if_match='"1"'),
        lambda balcao: balcao.health_units.issue_stream_ticket(),
    ],
    ids=["a write of one version", "a post without a key"],
)
def test_what_may_have_been_applied_is_not_sent_again(
    client: Any, call: Calling, platform: Receiver, waits: list[float], act: Callable[[Any], Any]
) -> None:
    platform.usual = answer(503, Retry_After="1")
    with pytest.raises(client.faults.Unavailable):
        call(act)
    assert (len(platform.received), waits) == (1, [])
    platform.received.clear()
    platform.usual = answer(429, Retry_After="1")  # 429 means that the call was not started
    with pytest.raises(client.faults.TooManyRequests):
        call(act)
    assert (len(platform.received), waits) == (4, [1, 1, 1])


def test_a_post_that_is_idempotent_by_itself_is_sent_again(
    call: Calling, platform: Receiver, waits: list[float]
) -> None:
    """A CRM event or an e-mail check changes nothing when it is repeated."""
    accepted = {"status": "accepted", "message": "Ok.", "evento": "atualizacao", "cpf": "***"}
    platform.answers += [answer(503, Retry_After="2"), answer(202, accepted)]
    platform.answers += [answer(503, Retry_After="3"), answer(200, {"valid": True, "message": "Ok."})]
    call(
        lambda balcao: balcao.registry.receive_crm_event({"cpf": ANA, "dados": {}}),
        lambda balcao: balcao.registry.validate_email({"email": "ana@example.org"}),
    )
    assert waits == [2, 3]


def test_a_date_in_retry_after_is_measured_by_the_clock_that_sent_it(client: Any) -> None:
    def read(**headers: str) -> float | None:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        seconds: float | None = client.faults.read_retry_after(httpx.Response(503, headers=named))
        return seconds

    noon = "Fri, 27 Nov 2026 12:00:00 GMT"
    assert read(Date=noon, Retry_After="Fri, 27 Nov 2026 12:00:07 GMT") == 7
    assert read(Date=noon, Retry_After="Fri, 27 Nov 2026 11:59:00 GMT") == 0
    assert read(Retry_After="Fri, 27 Nov 2020 12:00:00 GMT") == 0
    assert read(Date=noon, Retry_After="amanha") is None


def test_instants_days_and_booleans_are_sent_as_the_platform_reads_them(
    client: Any, call: Calling, platform: Receiver
) -> None:
    types = importlib.import_module("balcao_client.registry.types")
    noon = datetime(2026, 3, 1, 12, tzinfo=UTC)
    for act in (
        lambda balcao: balcao.health_units.list_notifications("9900001", de=noon),
        lambda balcao: balcao.health_units.list_opening_days("9900001", de=noon.date()),
        lambda balcao: balcao.search.list_all_proposals(awaiting_approval=True),
        lambda balcao: balcao.registry.search_citizens(types.SearchBody(name="Ana", birth_date=noon.date())),
        lambda balcao: balcao.registry.reconcile_crm(types.ReconciliationBody(since=noon)),
    ):
        platform.usual = answer(404)
        with pytest.raises(client.faults.NotFound):
            call(act)
    sent = [(unquote(each.path).partition("?")[2], json.loads(each.body or b"null")) for each in platform.received]
    assert sent == [
        ("de=2026-03-01T12:00:00+00:00", None),
        ("de=2026-03-01", None),
        ("awaiting_approval=true", None),
        ("", {"name": "Ana", "birth_date": "2026-03-01"}),
        ("", {"since": "2026-03-01T12:00:00Z"}),
    ]


def test_every_call_names_the_client_and_its_version(client: Any, call: Calling, platform: Receiver) -> None:
    platform.answers += [answer(200, provider(platform)), answer(200, {"access_token": "one"})]
    platform.usual = answer(200, ["a"])
    call(lambda balcao: balcao.registry.list_gender_options(), token=client.ClientCredentials("agenda", "segredo"))
    assert {sent.headers["user-agent"] for sent in platform.received} == {f"balcao-client/{__version__} (python)"}
    assert len(platform.received) == 3


def test_a_user_agent_that_the_caller_chose_is_kept(client: Any, platform: Receiver) -> None:
    platform.usual = answer(200, ["a"])
    with httpx.Client(headers={"User-Agent": "agenda/2"}) as own:
        client.Balcao(platform.url, "token", http=own).registry.list_gender_options()
    assert platform.received[0].headers["user-agent"] == "agenda/2"


def test_where_nothing_answers_the_call_ends_in_a_fault_of_its_own(client: Any, waits: list[float]) -> None:
    with client.Balcao("http://127.0.0.1:9") as balcao, pytest.raises(client.faults.ConnectionFailed):
        balcao.registry.list_gender_options()
    assert len(waits) == 3


def test_a_function_of_the_callers_is_asked_for_the_token_of_each_call(call: Calling, platform: Receiver) -> None:
    tokens = iter(("one", "two"))
    platform.usual = answer(200, ["a"])
    call(*[lambda balcao: balcao.registry.list_gender_options()] * 2, token=lambda: next(tokens))
    assert [sent.headers["authorization"] for sent in platform.received] == ["Bearer one", "Bearer two"]


def test_what_somebody_changed_meanwhile_is_not_overwritten(client: Any, call: Calling, platform: Receiver) -> None:
    platform.answers += [answer(200, PREFERENCES, ETag='"7"'), answer(412, Error_Code="precondition-failed")]
    (read,) = call(lambda balcao: balcao.registry.read_preferences(ANA))
    assert read.etag == '"7"'
    with pytest.raises(client.faults.PreconditionFailed):
        call(lambda balcao: balcao.registry.change_preferences(ANA, CHANGE, if_match=read.etag))
    assert platform.received[-1].headers["if-match"] == '"7"'


def test_what_has_not_changed_is_said_without_a_body(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = answer(304)
    with pytest.raises(client.faults.NotModified):
        call(lambda balcao: balcao.registry.read_preferences(ANA, if_none_match='"7"'))
    assert platform.received[-1].headers["if-none-match"] == '"7"'


def test_all_pages_are_read_and_none_beyond_the_last(call: Calling, platform: Receiver) -> None:
    def page(count: int) -> Answer:
        return answer(200, {"total": 250, "page": 1, "per_page": 100, "total_pages": 3, "data": [AVATAR] * count})

    platform.answers += [page(100), page(100), page(50)]
    (avatars,) = call(lambda balcao: balcao.registry.iterate_avatars())
    assert len(avatars) == 250
    assert [sent.path.partition("?")[2] for sent in platform.received] == [
        f"page={number}&per_page=100" for number in (1, 2, 3)
    ]


def test_a_refusal_says_its_code_its_remedy_and_the_request(client: Any, call: Calling, platform: Receiver) -> None:
    body = {"detail": [{"loc": ["body", "nome"], "msg": "Falta.", "type": "missing"}]}
    platform.usual = answer(422, body, Error_Code="body-invalid", X_Request_ID=REQUEST_ID)
    with pytest.raises(client.faults.Unprocessable) as refused:
        call(lambda balcao: balcao.registry.read_preferences(ANA))
    fault = refused.value
    assert (fault.code, fault.message, fault.request_id) == ("body-invalid", "body.nome: Falta.", REQUEST_ID)
    assert fault.items == body["detail"]
    assert fault.remedy
    assert fault.remedy in str(fault)
    platform.usual = answer(403, {"error": "Não."}, Error_Code="nome-length")
    with pytest.raises(client.faults.Forbidden) as refused:
        call(lambda balcao: balcao.registry.read_preferences(ANA))
    assert refused.value.remedy == client.codes.CODES["core"]["<field>-length"]


@pytest.mark.parametrize("service", app.SERVICES, ids=app.NAMES)
def test_the_remedy_of_a_code_is_the_one_that_the_documentation_gives_for_its_service(
    client: Any, service: Service
) -> None:
    """A code can mean different things in different services, for example `cpf-invalid`."""
    explanations = Explanations({one.name: one.package for one in app.SERVICES})
    for code in {code for where in PACKAGES for code in catalogue(f"balcao.{where}")}:
        found = explanations.find(service.name, code)
        response = httpx.Response(400, headers={"Error-Code": code}, json={})
        assert client.faults.make_fault(response, service.name).remedy == (found.fix if found else ""), code


def test_a_refusal_of_a_call_has_its_services_remedy(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = answer(400, {"error": "Não é um CPF."}, Error_Code="cpf-invalid")
    with pytest.raises(client.faults.BadRequest) as refused:
        call(lambda balcao: balcao.registry.receive_crm_event({"cpf": "1"}))
    assert refused.value.remedy == catalogue("balcao.registry")["cpf-invalid"].fix


def test_what_is_no_answer_of_the_platforms_is_told_apart(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = Answer(200, b"<html>a proxy's page</html>")
    with pytest.raises(client.faults.UnexpectedResponse):
        call(lambda balcao: balcao.registry.read_preferences(ANA))


def sign(secret: str, body: bytes, moment: float) -> dict[str, str]:
    """Sign with the standard's own library. Other tests verify the platform's signatures with the same library."""
    signature = Webhook(secret).sign("msg_1", datetime.fromtimestamp(moment, UTC), body.decode())
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": f"{moment:.0f}", "Webhook-Signature": signature}


def test_a_webhook_that_the_platform_signed_is_taken(client: Any) -> None:
    body, now = json.dumps(EVENT).encode(), float(int(time.time()))
    assert client.verify_webhook(body, sign(SECRET, body, now), SECRET) == EVENT
    both = sign(FORMER, body, now)
    both["Webhook-Signature"] = f"v2,abc {both['Webhook-Signature']} {sign(SECRET, body, now)['Webhook-Signature']}"
    assert client.verify_webhook(body, both, SECRET) == EVENT
    assert client.verify_webhook(body, sign(FORMER, body, now), SECRET, FORMER) == EVENT


@pytest.mark.parametrize(
    "change", ["secret", "body", "id", "old", "ahead", "missing", "malformed", "huge", "no base64"]
)
def test_any_other_webhook_is_refused(client: Any, change: str) -> None:
    body, now = json.dumps(EVENT).encode(), float(int(time.time()))
    headers = sign(FORMER if change == "secret" else SECRET, body, now)
    moment = {"old": now + 301, "ahead": now - 301}.get(change, now)
    match change:
        case "body":
            body += b" "
        case "id":
            headers["Webhook-Id"] = "msg_2"
        case "missing":
            del headers["Webhook-Timestamp"]
        case "malformed":
            headers["Webhook-Timestamp"] = "hoje"
        case "huge":
            headers["Webhook-Timestamp"] = "9" * 400
        case "no base64":
            headers["Webhook-Signature"] = "v1,é"
    with pytest.raises(client.InvalidSignature):
        client.verify_webhook(body, headers, SECRET, now=moment)


@pytest.mark.parametrize(
    "secret",
    ["", "whsec_", "whsec_!!!!", "!!!!", "whsec_" + "A" * 28, "whsec_" + "A" * 31, " ", "whsec_" + "é" * 32],
)
@pytest.mark.parametrize("place", ["only", "first", "last"])
def test_a_secret_that_would_accept_forged_webhooks_is_refused(client: Any, secret: str, place: str) -> None:
    """An empty environment variable must not become an empty key, which an attacker can guess."""
    body, now = json.dumps(EVENT).encode(), int(time.time())
    forged = base64.b64encode(hmac.digest(b"", f"msg_1.{now}.".encode() + body, "sha256")).decode()
    headers = {"Webhook-Id": "msg_1", "Webhook-Timestamp": str(now), "Webhook-Signature": f"v1,{forged}"}
    secrets = {"only": [secret], "first": [secret, SECRET], "last": [SECRET, secret]}[place]
    with pytest.raises(client.InvalidSecret, match="base64 of at least 24 bytes"):
        client.verify_webhook(body, headers, *secrets)
    with pytest.raises(client.InvalidSecret, match="base64 of at least 24 bytes"):
        client.verify_webhook(body, sign(SECRET, body, now), *secrets)


def test_a_webhook_is_verified_by_at_least_one_secret(client: Any) -> None:
    body, now = json.dumps(EVENT).encode(), float(int(time.time()))
    with pytest.raises(client.InvalidSecret, match="no secret"):
        client.verify_webhook(body, sign(SECRET, body, now))


def test_a_secret_may_end_with_the_line_break_of_its_file(client: Any) -> None:
    body, now = json.dumps(EVENT).encode(), float(int(time.time()))
    assert client.verify_webhook(body, sign(SECRET, body, now), f"{SECRET}\n") == EVENT
