"""Systems that get tokens with client credentials (spec: authentication 3)."""

from typing import Any

import httpx
import pytest
from authlib.integrations.requests_client import OAuth2Session

from balcao.core.access.caller import ClaimPolicy, from_claims
from balcao.settings import Settings
from balcao_sandbox.identity.demo import clients
from balcao_sandbox.identity.realm import load_clients
from tests.sandbox.identity.provider import RunningProvider, refusal
from tests.support.polling import PATIENCE

PLATFORM = {"client_id": "balcao-platform", "client_secret": "sandbox-platform-secret"}
MACHINE = {"grant_type": "client_credentials"} | PLATFORM
EIGHT = {
    "rmi:pessoa-fisica:read", "rmi:telefone:read", "sms:read", "sme:read",
    "smtr:read", "smf:read", "busca:search", "catalogo:read",
}  # fmt: skip


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
def test_every_machine_gets_a_token_with_exactly_four_members(provider: RunningProvider, method: str) -> None:
    for client in [each for each in clients() if "client_credentials" in each.flows]:
        library = OAuth2Session(client.client_id, client.secret, token_endpoint_auth_method=method)
        answer = dict(library.fetch_token(provider.metadata["token_endpoint"], grant_type="client_credentials"))
        answer.pop("expires_at")  # the library itself adds this member
        assert set(answer) == {"access_token", "expires_in", "token_type", "scope"}
        assert (answer["expires_in"], answer["token_type"]) == (300, "Bearer")
        assert answer["scope"].split() == client.scopes


def test_the_platform_holds_the_eight_scopes_and_the_health_panel_one(provider: RunningProvider) -> None:
    held = {client.client_id: set(client.scopes) for client in clients()}
    assert held["balcao-platform"] == EIGHT
    assert held["painel-saude"] == {"sms:read"}


def test_a_machine_token_names_the_client_and_no_person(provider: RunningProvider) -> None:
    claims = provider.claims(provider.token(MACHINE).json()["access_token"])
    assert (claims["azp"], claims["aud"], claims["iss"]) == ("balcao-platform", "account", provider.issuer)
    assert set(claims["scope"].split()) == EIGHT
    assert claims["preferred_username"] == "service-account-balcao-platform"
    assert not {"cpf", "name", "email", "sid"} & claims.keys()
    assert from_claims(claims, ClaimPolicy(machine_clients=frozenset({"balcao-platform"}))).is_machine


@pytest.mark.parametrize(
    ("asked", "granted"),
    [("openid profile email", EIGHT), ("openid sms:read profile", {"sms:read"}), ("offline_access", EIGHT)],
)
def test_a_client_librarys_standard_scopes_are_ignored(
    provider: RunningProvider, asked: str, granted: set[str]
) -> None:
    answer = provider.token(MACHINE | {"scope": asked})
    assert set(answer.json()["scope"].split()) == granted
    assert "id_token" not in answer.json()


def test_only_the_scopes_asked_for_are_granted(provider: RunningProvider) -> None:
    answer = provider.token(MACHINE | {"scope": "busca:search sms:read"}).json()
    assert set(answer["scope"].split()) == {"busca:search", "sms:read"}
    assert set(provider.claims(answer["access_token"])["scope"].split()) == {"busca:search", "sms:read"}


def test_answers_of_the_token_endpoint_are_never_stored(provider: RunningProvider) -> None:
    for answer in (provider.token(MACHINE), provider.token({})):
        assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    ("form", "status", "code"),
    [
        (MACHINE | {"client_secret": "errado"}, 401, "invalid-client"),
        (MACHINE | {"client_secret": ""}, 401, "invalid-client"),
        (MACHINE | {"client_id": "ninguem"}, 401, "invalid-client"),
        (MACHINE | {"client_id": ""}, 401, "invalid-client"),
        ({"grant_type": "client_credentials"}, 401, "invalid-client"),
        ({"grant_type": "client_credentials", "client_id": "portal-cidadao"}, 401, "invalid-client"),
        (MACHINE | {"client_secret": "çã\u0000"}, 401, "invalid-client"),
        (MACHINE | {"scope": "sms:read admin"}, 400, "invalid-scope"),
        (MACHINE | {"client_secret": ["sandbox-platform-secret", "x"]}, 400, "invalid-request"),
        (MACHINE | {"grant_type": "password", "username": "ana"}, 400, "unsupported-grant-type"),
        (PLATFORM, 400, "invalid-request"),
        ({}, 400, "invalid-request"),
        (MACHINE | {"grant_type": "authorization_code", "code": "x"}, 400, "unauthorized-client"),
        (MACHINE | {"grant_type": "refresh_token", "refresh_token": "x"}, 400, "unauthorized-client"),
    ],
)
def test_each_fault_has_the_word_of_the_standard(
    provider: RunningProvider, form: dict[str, Any], status: int, code: str
) -> None:
    answer = provider.token(form)
    assert refusal(answer) == (status, code)
    assert set(answer.json()) == {"error", "error_description"}
    assert ("www-authenticate" in answer.headers) == (status == 401)


@pytest.mark.parametrize("header", ["Basic", "Basic !!!", "Basic bm9jb2xvbg==", "Bearer abc", "Basic /////w=="])
def test_a_broken_authorization_header_is_an_unknown_client(provider: RunningProvider, header: str) -> None:
    answer = provider.token({"grant_type": "client_credentials"}, headers={"Authorization": header})
    assert refusal(answer) == (401, "invalid-client")


def test_two_ways_of_proving_oneself_at_once_are_refused(provider: RunningProvider) -> None:
    answer = provider.token(MACHINE, auth=("balcao-platform", "sandbox-platform-secret"))
    assert refusal(answer) == (400, "invalid-request")


@pytest.mark.parametrize(
    ("body", "media_type"),
    [
        (b"grant_type=client_credentials&client_id=%ff", "application/x-www-form-urlencoded"),
        (b"\xff\xfe", "application/x-www-form-urlencoded"),
        (b"&".join(b"a%d=1" % i for i in range(60)), "application/x-www-form-urlencoded"),
        (b'{"grant_type":"client_credentials"}', "application/json"),
        (b"grant_type=client_credentials", ""),
    ],
)
def test_what_is_no_form_is_an_invalid_request(provider: RunningProvider, body: bytes, media_type: str) -> None:
    endpoint = provider.metadata["token_endpoint"]
    answer = httpx.post(endpoint, content=body, headers={"Content-Type": media_type}, timeout=PATIENCE)
    assert refusal(answer) == (400, "invalid-request")


def test_an_oversize_form_is_refused(provider: RunningProvider) -> None:
    answer = provider.token(MACHINE | {"scope": "x" * 20_000})
    assert (answer.status_code, answer.headers["Error-Code"]) == (413, "too-large")
    assert answer.json()["error"] == "invalid_request"


def test_a_scope_is_not_only_a_name_but_granted(provider: RunningProvider) -> None:
    health = {"client_id": "painel-saude", "client_secret": "sandbox-painel-saude-secret"}
    answer = provider.token(MACHINE | health | {"scope": "busca:search"})
    assert refusal(answer) == (400, "invalid-scope")


def test_another_realm_does_not_exist(provider: RunningProvider) -> None:
    base = provider.issuer.replace("/balcao", "/outro")
    for path in ("/.well-known/openid-configuration", *(f"/protocol/openid-connect/{p}" for p in ("auth", "certs"))):
        assert httpx.get(base + path, timeout=PATIENCE).status_code == 404
    assert httpx.post(f"{base}/protocol/openid-connect/token", data=MACHINE, timeout=PATIENCE).status_code == 404


def test_other_methods_are_answered_with_those_allowed(provider: RunningProvider) -> None:
    answer = httpx.get(provider.metadata["token_endpoint"], timeout=PATIENCE)
    assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")


def test_the_secrets_that_settings_name_are_those_of_the_settings() -> None:
    changed = Settings.load({"BALCAO_CLIENT_SECRET": "outro", "BALCAO_CRM_SANDBOX_CLIENT_SECRET": "mais um"})
    known = load_clients(changed)
    assert (known["balcao-platform"].secret, known["crm-sandbox"].secret) == ("outro", "mais um")
