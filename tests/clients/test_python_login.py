"""Tokens in our sync and async Python clients: machines, logins, and provider errors."""

import base64
import hashlib
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import msgspec
import pytest

from tests.clients.layer import Calling, answer, provider
from tests.support.http_receiver import Answer, Receiver

pytestmark = [pytest.mark.node, pytest.mark.sdk, pytest.mark.long]


def make_id_token(**claims: object) -> str:
    """Return an unsigned ID token. The client gets it directly from the provider, so it does not check signatures."""
    return ".".join(
        base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in (b"{}", msgspec.json.encode(claims), b"?")
    )


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
    with httpx.Client() as own:
        start = flow.start(own)
        tokens = {"access_token": "one", "expires_in": 300, "refresh_token": "first"}
        platform.answers.append(answer(200, tokens | {"id_token": make_id_token(nonce=start.nonce)}))
        login = flow.finish("codigo", start.verifier, start.nonce, own)
        assert not own.is_closed  # the caller must close its own HTTP client
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
        answer(400, {"error": "invalid_grant", "error_description": "Session not active"}),
    ]
    with pytest.raises(client.LoginEnded, match="invalid_grant: Session not active") as ended:
        call(*[lambda balcao: balcao.registry.list_gender_options()] * 2, token=login)
    renewals = [read_form(sent.body) for sent in platform.received if sent.path == "/token"][1:]
    assert [form["refresh_token"] for form in renewals] == ["first", "second"]
    assert login.refresh_token == "second"
    assert (ended.value.error, ended.value.error_description) == ("invalid_grant", "Session not active")


@pytest.mark.parametrize(
    ("status", "error", "description"),
    [
        (400, "invalid_grant", "Incorrect redirect_uri"),
        (400, "invalid_grant", "PKCE verification failed: Code mismatch"),
        (400, "invalid_grant", "Code not valid"),
        (401, "unauthorized_client", "Invalid client or Invalid client credentials"),
    ],
)
def test_a_login_that_fails_says_why_in_the_providers_words(
    client: Any, platform: Receiver, status: int, error: str, description: str
) -> None:
    refusal = answer(status, {"error": error, "error_description": description})
    platform.answers += [answer(200, provider(platform)), refusal]
    with pytest.raises(client.LoginFailed, match=f"{error}: {description}") as failed:
        client.CodeFlow(platform.url, "agenda", "https://agenda.example/volta").finish("codigo", "v" * 43, "n")
    assert (failed.value.status, failed.value.error, failed.value.error_description) == (status, error, description)
    assert not isinstance(failed.value, client.LoginEnded)  # a login that never started has not ended


def test_a_machine_that_the_provider_refuses_is_told_why(client: Any, call: Calling, platform: Receiver) -> None:
    platform.answers += [answer(200, provider(platform)), answer(401, {"error": "invalid_client"})]
    machine = client.ClientCredentials("agenda", "errado")
    with pytest.raises(client.LoginFailed) as failed:
        call(lambda balcao: balcao.registry.list_gender_options(), token=machine)
    assert (failed.value.error, failed.value.error_description) == ("invalid_client", "")


@pytest.mark.parametrize("body", [b"<html>", b"{}", b"[]"], ids=["a page", "no token", "a list"])
def test_a_provider_that_answers_something_else_is_told_apart(
    client: Any, call: Calling, platform: Receiver, body: bytes
) -> None:
    platform.answers += [answer(200, provider(platform)), Answer(200, body)]
    with pytest.raises(client.faults.UnexpectedResponse, match="identity provider"):
        call(lambda balcao: balcao.registry.list_gender_options(), token=client.ClientCredentials("agenda", "segredo"))


@pytest.mark.parametrize(
    "id_token",
    [make_id_token(nonce="of another login"), make_id_token(sub="ana"), "no.token", None],
    ids=["another nonce", "no nonce", "malformed", "no ID token"],
)
def test_tokens_of_another_login_are_not_taken(client: Any, platform: Receiver, id_token: str | None) -> None:
    flow = client.CodeFlow(platform.url, "agenda", "https://agenda.example/volta")
    platform.answers += [answer(200, provider(platform)), answer(200, {"access_token": "one", "id_token": id_token})]
    with pytest.raises(client.LoginFailed) as failed:
        flow.finish("codigo", "v" * 43, "nonce")
    assert failed.value.error == "invalid_nonce"


def test_without_openid_there_is_no_id_token_to_check(client: Any, platform: Receiver) -> None:
    flow = client.CodeFlow(platform.url, "agenda", "https://agenda.example/volta", scope="profile")
    platform.answers += [answer(200, provider(platform)), answer(200, {"access_token": "one"})]
    assert flow.finish("codigo", "v" * 43, "nonce").id_token is None
