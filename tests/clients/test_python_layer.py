"""What our Python client does by itself, awaited or not: tokens, tries, versions, pages, streams, webhooks."""

import asyncio
import base64
import hashlib
import hmac
import importlib
import json
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from standardwebhooks import Webhook

from tests.clients import built
from tests.support.cast import ANA
from tests.support.receiver import Answer, Receiver

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]

REQUEST_ID = "7d6f0f7a-6a5b-4f0e-9a53-0d9a4f8f9d11"
BRAND = {"id": "0190a1b2-0000-7000-8000-000000000001", "name": "Maresia", "is_other": False, "deleted_at": None}
PREFERENCES = {"cpf": ANA, "opt_in": True, "category_opt_ins": {}, "updated_at": "2026-11-27T12:00:00Z"}
AVATAR = {"id": "a", "name": "Gato", "url": "/a.png", "is_active": True, "created_at": "2026-11-27T12:00:00Z"}
CALLER = "token"
CHANGE = {"opt_in": False, "channel": "web"}
SECRET, FORMER = ("whsec_" + letter * 32 for letter in "Ab")
EVENT = {"evento": "risco", "unidade": "9900001"}


def answer(status: int, body: object = None, **headers: str) -> Answer:
    """Return a response of the platform."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status, b"" if body is None else json.dumps(body).encode(), named)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """The package, loaded from its wheel as it is."""
    wheel = str(built.build_python_once())
    sys.path.insert(0, wheel)
    yield importlib.import_module("balcao_client")
    sys.path.remove(wheel)


@pytest.fixture
def platform() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


@pytest.fixture
def waits(client: Any, monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How many seconds the client waited, which takes no time."""
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    monkeypatch.setattr("balcao_client.transport.time", SimpleNamespace(sleep=waited.append))
    monkeypatch.setattr("balcao_client.transport.asyncio", SimpleNamespace(sleep=sleep))
    return waited


# Calls one after another by one client, and returns what each came to; what is yielded comes as a list.
Calling = Callable[..., list[Any]]


@pytest.fixture(params=["sync", "awaited"])
def call(request: pytest.FixtureRequest, client: Any, platform: Receiver) -> Calling:
    def call_sync(*acts: Callable[[Any], Any], token: Any = CALLER) -> list[Any]:
        with client.Balcao(platform.url, token) as balcao:
            found = [act(balcao) for act in acts]
            return [list(each) if isinstance(each, Iterator) else each for each in found]

    async def run(acts: tuple[Callable[[Any], Any], ...], token: Any) -> list[Any]:
        async with client.AsyncBalcao(platform.url, token) as balcao:
            return [await settle(act(balcao)) for act in acts]

    async def settle(found: Any) -> Any:
        return [each async for each in found] if isinstance(found, AsyncIterator) else await found

    def call_awaited(*acts: Callable[[Any], Any], token: Any = CALLER) -> list[Any]:
        # In a thread of its own, as a browser of other tests may have left a loop running in this one.
        with ThreadPoolExecutor(1) as thread:
            return thread.submit(asyncio.run, run(acts, token)).result()

    return call_sync if request.param == "sync" else call_awaited


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
    platform.usual = answer(429, Retry_After="1")  # which says that nothing was begun
    with pytest.raises(client.faults.TooManyRequests):
        call(act)
    assert (len(platform.received), waits) == (4, [1, 1, 1])


def test_where_nothing_answers_the_call_ends_in_a_fault_of_its_own(client: Any, waits: list[float]) -> None:
    with client.Balcao("http://127.0.0.1:9") as balcao, pytest.raises(client.faults.ConnectionFailed):
        balcao.registry.list_gender_options()
    assert len(waits) == 3


def provider(platform: Receiver) -> dict[str, str]:
    """Return the discovery document of a provider at the receiver's address."""
    return {"authorization_endpoint": f"{platform.url}/login", "token_endpoint": f"{platform.url}/token"}


def read_form(body: bytes) -> dict[str, str]:
    return {name: value for name, (value,) in parse_qs(body.decode()).items()}


def test_a_machines_token_is_kept_renewed_before_its_end_and_replaced_once_where_it_is_refused(
    client: Any, call: Calling, platform: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr("balcao_client.tokens.time", SimpleNamespace(monotonic=lambda: now[0]))
    platform.answers += [
        answer(200, provider(platform)),
        answer(200, {"access_token": "one", "expires_in": 300}),
        answer(200, ["a"]),
        answer(200, ["a"]),
        answer(200, {"access_token": "two", "expires_in": 300}),
        answer(200, ["a"]),
        answer(401),
        answer(200, {"access_token": "three", "expires_in": 300}),
        answer(200, ["a"]),
        answer(401),
        answer(200, {"access_token": "four", "expires_in": 300}),
        answer(401, Error_Code="unauthenticated"),
    ]

    def at(moment: float) -> Callable[[Any], Any]:
        def act(balcao: Any) -> Any:
            now[0] = moment
            return balcao.registry.list_gender_options()

        return act

    machine = client.ClientCredentials("agenda", "segredo", scope="sms:read")
    with pytest.raises(client.faults.Unauthenticated):
        call(*map(at, (1000, 1269, 1271, 1272, 1273)), token=machine)
    forms = [read_form(sent.body) for sent in platform.received if sent.path == "/token"]
    assert (
        forms
        == [
            {"grant_type": "client_credentials", "client_id": "agenda", "client_secret": "segredo", "scope": "sms:read"}
        ]
        * 4
    )
    assert platform.received[0].path == "/auth/realms/balcao/.well-known/openid-configuration"
    used = [
        sent.headers["authorization"].removeprefix("Bearer ")
        for sent in platform.received
        if "authorization" in sent.headers
    ]
    assert used == ["one", "one", "two", "two", "three", "three", "four"]


def test_a_person_logs_in_by_code_and_stays_so_until_the_provider_ends_it(
    client: Any, call: Calling, platform: Receiver
) -> None:
    flow = client.CodeFlow(platform.url, "agenda", "https://agenda.example/volta")
    platform.answers += [answer(200, provider(platform))] * 2
    platform.answers += [answer(200, {"access_token": "one", "expires_in": 300, "refresh_token": "first"})]
    with httpx.Client() as own:
        start = flow.start(own)
        login = flow.finish("codigo", start.verifier, own)
        assert not own.is_closed  # it is the caller's
    asked = {name: value for name, (value,) in parse_qs(urlsplit(start.url).query).items()}
    sent = read_form(platform.received[-1].body)
    challenge = base64.urlsafe_b64encode(hashlib.sha256(sent["code_verifier"].encode()).digest()).decode().rstrip("=")
    assert (asked["code_challenge"], asked["code_challenge_method"]) == (challenge, "S256")
    assert (asked["state"], asked["response_type"]) == (start.state, "code")
    assert (sent["code"], sent["redirect_uri"]) == ("codigo", asked["redirect_uri"])
    platform.answers += [
        answer(401),
        answer(200, provider(platform)),
        answer(200, {"access_token": "two", "expires_in": 300, "refresh_token": "second"}),
        answer(200, ["a"]),
        answer(401),
        answer(400, {"error": "invalid_grant"}),
    ]
    with pytest.raises(client.LoginEnded):
        call(*[lambda balcao: balcao.registry.list_gender_options()] * 2, token=login)
    renewals = [read_form(sent.body) for sent in platform.received if sent.path == "/token"][1:]
    assert [form["refresh_token"] for form in renewals] == ["first", "second"]
    assert login.refresh_token == "second"


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
    assert refused.value.remedy == client.codes.CODES["<field>-length"]


def test_what_is_no_answer_of_the_platforms_is_told_apart(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = Answer(200, b"<html>a proxy's page</html>")
    with pytest.raises(client.faults.UnexpectedResponse):
        call(lambda balcao: balcao.registry.read_preferences(ANA))


def test_a_stream_is_read_as_the_standard_has_it(client: Any, call: Calling, platform: Receiver) -> None:
    """Whichever sign ends a line, and whatever signs stand within one."""
    text = {"nota": "uma linha\u2028ou\x85\x0cduas"}
    sent = (
        ": a comment\r\n\r\n"
        "event: mudanca\r\nid: 7\r\ndata: 1\rdata: 2\n\n"
        "unknown: x\nretry: 5\ndata\n\n"
        f"id: 8\ndata:{json.dumps(text, ensure_ascii=False)}\n\n"
        "data: not ended"
    )
    platform.usual = Answer(200, sent.encode(), {"Content-Type": "text/event-stream"})
    (events,) = call(lambda balcao: balcao.health_units.stream_changes(last_event_id="6"))
    assert [(each.name, each.data, each.id) for each in events[:2]] == [("mudanca", "1\n2", "7"), ("message", "", "7")]
    assert (events[2].decode(), events[2].id, len(events)) == (text, "8", 3)
    assert platform.received[0].headers["last-event-id"] == "6"


def test_a_stream_that_is_refused_says_why(client: Any, call: Calling, platform: Receiver) -> None:
    platform.usual = answer(410, {"error": "Recomece."}, Error_Code="cursor-gone")
    with pytest.raises(client.faults.Fault) as refused:
        call(lambda balcao: balcao.health_units.stream_changes())
    assert refused.value.code == "cursor-gone"


def sign(secret: str, body: bytes, moment: float) -> dict[str, str]:
    """Sign as the platform does, which a library of the standard's makers confirms (its own tests)."""
    signature = Webhook(secret).sign("msg_1", datetime.fromtimestamp(moment, UTC), body.decode())
    return {"Webhook-Id": "msg_1", "Webhook-Timestamp": f"{moment:.0f}", "Webhook-Signature": signature}


def test_a_webhook_that_the_platform_signed_is_taken(client: Any) -> None:
    body, now = json.dumps(EVENT).encode(), float(int(time.time()))
    assert client.verify_webhook(body, sign(SECRET, body, now), SECRET) == EVENT
    both = sign(FORMER, body, now)
    both["Webhook-Signature"] = f"v2,abc {both['Webhook-Signature']} {sign(SECRET, body, now)['Webhook-Signature']}"
    assert client.verify_webhook(body, both, SECRET) == EVENT
    assert client.verify_webhook(body, sign(FORMER, body, now), SECRET, FORMER) == EVENT


@pytest.mark.parametrize("change", ["secret", "body", "id", "old", "ahead", "missing", "malformed", "no base64"])
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
    """An empty variable of the environment must not become an empty key, which every attacker has."""
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
