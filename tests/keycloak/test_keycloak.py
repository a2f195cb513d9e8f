"""A real Keycloak with our realm file: the rights in its tokens, and its failures and changes during operation."""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import parse_qs

import httpx
import pytest

from balcao.core.access import keys
from balcao.core.access.caller import ClaimPolicy, from_claims
from balcao.core.access.rules import AUTHENTICATED
from tests.contract.table import CASES
from tests.contract.test_contract import check
from tests.keycloak.server import REALM, Keycloak, user
from tests.support.issuer import Issuer, bearer, new_key
from tests.support.operations import Served
from tests.support.polling import PATIENCE, until_now
from tests.support.refused_tokens import GUARDED, assert_refused_alike
from tests.support.sandbox import Sandbox

pytestmark = pytest.mark.keycloak

ANA, BRUNO, NO_RIGHTS = "90000000175", "90000000256", "90000040479"
WHO = "/agent/api/v1/auth"
EVERY_SCOPE = [
    "rmi:pessoa-fisica:read", "rmi:telefone:read", "sms:read", "sme:read", "smtr:read", "smf:read", "busca:search",
    "catalogo:read",
]  # fmt: skip


def status(http: httpx.Client, token: str) -> int:
    return http.get(WHO, headers=bearer(token)).status_code


def claims_of(token: str) -> dict[str, Any]:
    payload = token.split(".")[1]
    return dict(json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4))))


def test_the_contract_table_holds_with_its_tokens(sandbox: Sandbox) -> None:
    faults = [f"{case}: {fault}" for case in CASES for fault in check(sandbox, case)]
    assert faults == []


def test_a_person_reads_the_own_cpf_and_never_writes_it(keycloak: Keycloak) -> None:
    keycloak.add_client("conta", "basic", "roles", "email", "balcao", fullScopeAllowed=True)
    token = keycloak.log_in("bruno", "conta", "demo-bruno")["access_token"]
    sent = bearer(token) | {"Accept": "application/json"}
    with httpx.Client(base_url=keycloak.issuer, headers=sent, timeout=PATIENCE) as account:
        mine = account.get("/account/").json()
        assert mine["attributes"]["cpf"] == [BRUNO]
        mine["attributes"]["cpf"] = [ANA]
        refused = account.post("/account/", json=mine)
        assert refused.status_code == 400, refused.text
        assert account.get("/account/").json()["attributes"]["cpf"] == [BRUNO]


# ---- tokens that grant nothing ------------------------------------------------------------------------------------


def mapper(kind: str, **config: str) -> dict[str, Any]:
    named = {name.replace("__", "."): value for name, value in config.items()} | {"access.token.claim": "true"}
    return {"name": kind, "protocol": "openid-connect", "protocolMapper": kind, "config": named}


AUDIENCE = mapper("oidc-audience-mapper", included__client__audience="account")


def cpf_mapper(kind: str, **config: str) -> dict[str, Any]:
    claim = {"user__attribute": "cpf", "claim__name": "cpf", "jsonType__label": kind}
    return mapper("oidc-usermodel-attribute-mapper", **claim, **config)


# Keycloak configurations that produce bad tokens. For each, the code that the platform logs.
BAD_CLIENTS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "no subject": ("token-subject", ("roles", "balcao"), {}),
    "no audience": ("token-audience", ("basic", "roles"), {}),
    "a lightweight token": (
        "token-audience", ("basic", "balcao"), {"attributes": {"client.use.lightweight.access.token.enabled": "true"}}
    ),
    "signed with ES256": (
        "token-algorithm", ("basic", "balcao"), {"attributes": {"access.token.signed.response.alg": "ES256"}}
    ),
    "signed with PS256": (
        "token-algorithm", ("basic", "balcao"), {"attributes": {"access.token.signed.response.alg": "PS256"}}
    ),
    "a list of CPFs": (
        "token-cpf", ("basic",), {"protocolMappers": [AUDIENCE, cpf_mapper("String", multivalued="true")]}
    ),
    "a CPF that is a number": (
        "token-cpf", ("basic",), {"protocolMappers": [AUDIENCE, cpf_mapper("long")]}
    ),
    "expired": ("token-expired", ("basic", "balcao"), {"attributes": {"access.token.lifespan": "1"}}),
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(keycloak: Keycloak) -> dict[str, tuple[str, str]]:
    """Return bad tokens by name, each with the error code of its refusal."""
    made: dict[str, tuple[str, str]] = {}
    for number, (name, (code, scopes, more)) in enumerate(BAD_CLIENTS.items()):
        client = f"ruim-{number}"
        keycloak.add_client(client, *scopes, **more)
        made[name] = code, keycloak.log_in("ana", client, "demo-ana")["access_token"]
    keycloak.add_people(user("carlos", attributes={"cpf": ["90000000100"]}))
    made["wrong check digits"] = "token-cpf", keycloak.log_in("carlos")["access_token"]
    answer = keycloak.log_in("ana", password="demo-ana")
    made["an ID token"] = "token-audience", answer["id_token"]
    made["a refresh token"] = "token-algorithm", answer["refresh_token"]
    for_us = mapper("oidc-audience-mapper", included__client__audience="account", id__token__claim="true")
    keycloak.add_client("ruim-id", "basic", protocolMappers=[for_us])
    made["an ID token for us"] = "token-type", keycloak.log_in("ana", "ruim-id", "demo-ana")["id_token"]
    made["of another realm"] = "token-issuer", keycloak.administrators_token()
    made["a logout token"] = "token-audience", catch_logout_token(keycloak)
    return made


def catch_logout_token(keycloak: Keycloak) -> str:
    """Log out of a client that stores the back-channel logout token, and return that token."""
    caught: list[str] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent = self.rfile.read(int(self.headers["Content-Length"]))
            caught.append(parse_qs(sent.decode())["logout_token"][0])
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Write no log."""

    with HTTPServer(("127.0.0.1", 0), Listener) as listener:
        threading.Thread(target=listener.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{listener.server_port}/"
        keycloak.add_client("ouvinte", "basic", attributes={"backchannel.logout.url": address})
        keycloak.add_people(user("olavo"))
        log_out(keycloak, keycloak.log_in("olavo", "ouvinte"), "ouvinte")
        until_now(lambda: bool(caught))
        listener.shutdown()
    return caught[0]


def log_out(keycloak: Keycloak, answer: dict[str, Any], client: str) -> None:
    form = {"client_id": client, "client_secret": keycloak.client(client)["secret"]}
    address = f"{keycloak.issuer}/protocol/openid-connect/logout"
    httpx.post(address, data=form | {"refresh_token": answer["refresh_token"]}, timeout=PATIENCE).raise_for_status()


def test_the_log_says_why_each_is_refused(
    http: httpx.Client, hostile: dict[str, tuple[str, str]], caplog: pytest.LogCaptureFixture
) -> None:
    until_now(lambda: status(http, hostile["expired"][1]) == 401)  # the platform allows ten seconds of leeway
    codes = {}
    for name, (_, token) in hostile.items():
        caplog.clear()
        with caplog.at_level("INFO"):
            assert status(http, token) == 401, name
        (line,) = (text for record in caplog.records if "request.unauthenticated" in (text := record.getMessage()))
        codes[name] = json.loads(line)["code"]
    assert codes == {name: code for name, (code, _) in hostile.items()}


@pytest.mark.parametrize("served", GUARDED, ids=str)
def test_a_hostile_token_is_refused_alike(
    http: httpx.Client, hostile: dict[str, tuple[str, str]], served: Served
) -> None:
    assert_refused_alike(http, {name: f"Bearer {token}" for name, (_, token) in hostile.items()}, served)


# ---- valid tokens without the required rights ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def misplaced(keycloak: Keycloak, sandbox: Sandbox) -> dict[str, str]:
    """Return tokens that grant nothing, although they resemble the tokens of callers with rights."""
    keycloak.add_people(user("visitante"), user(ANA))
    scopes = ("basic", "roles", "balcao", *EVERY_SCOPE)
    keycloak.add_client("portal-aberto", *scopes)
    keycloak.add_client("outro-sistema", *scopes, fullScopeAllowed=True)
    other = keycloak.client("outro-sistema")
    keycloak.administer("POST", f"/{REALM}/clients/{other['id']}/roles", {"name": "admin"})
    role = keycloak.administer("GET", f"/{REALM}/clients/{other['id']}/roles/admin")
    (visitor,) = keycloak.administer("GET", f"/{REALM}/users?username=visitante&exact=true")
    path = f"/{REALM}/users/{visitor['id']}/role-mappings/clients/{other['id']}"
    keycloak.administer("POST", path, [role])
    keycloak.change_client("portal-servidor", serviceAccountsEnabled=True)
    login, named = (keycloak.log_in(name, "portal-aberto")["access_token"] for name in ("visitante", ANA))
    foreign = keycloak.log_in("visitante", "outro-sistema")["access_token"]
    assert set(EVERY_SCOPE) <= set(claims_of(login)["scope"].split())
    assert claims_of(named)["preferred_username"] == ANA
    assert claims_of(foreign)["resource_access"]["outro-sistema"]["roles"] == ["admin"]
    return {
        "a login without CPF, with every scope": login,
        "a user name that is Ana's CPF": named,
        "admin of another system": foreign,
        "a machine that is in no list": sandbox.tokens.client("portal-servidor"),
        "a machine without scopes": sandbox.tokens.client("portal-cidadao"),
        "another citizen": sandbox.tokens.person(BRUNO),
        "staff without rights": sandbox.tokens.person(NO_RIGHTS),
    }


NOT_FOR_EVERYBODY = [served for served in GUARDED if served.operation.rule.action != AUTHENTICATED]


@pytest.mark.parametrize("served", NOT_FOR_EVERYBODY, ids=str)
def test_a_good_token_without_the_right_is_forbidden(
    http: httpx.Client, misplaced: dict[str, str], served: Served
) -> None:
    found = {
        name: http.request(served.method, served.filled(), headers=bearer(token)).status_code
        for name, token in misplaced.items()
    }
    assert found == dict.fromkeys(misplaced, 403)


BY_SCOPE = [served for served in GUARDED if served.operation.rule.scopes]


@pytest.mark.parametrize("served", BY_SCOPE, ids=str)
def test_a_service_account_passes_by_its_scope(sandbox: Sandbox, served: Served) -> None:
    token = sandbox.tokens.client("balcao-platform")
    with sandbox.http.stream(served.method, served.filled(), headers=bearer(token)) as answer:  # a stream never ends
        assert answer.status_code not in {401, 403}


# ---- what a provider does while we run ----------------------------------------------------------------------------


def test_two_key_rotations_within_ten_seconds_refuse_nobody(
    keycloak: Keycloak, http: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "UNKNOWN_KEY_SECONDS", 3.0)  # as in production

    def is_accepted(token: str) -> bool:
        """Return whether the token is accepted. After a 503, first wait for as long as the response requests.

        The second rotation happens just after the keys were fetched. A caller that does not wait gets a 503 only a few
        times per minute, and then a refusal (docs/explain/trust.md).
        """
        answer = http.get(WHO, headers=bearer(token))
        if answer.status_code == 503:
            seconds = int(answer.headers["Retry-After"])
            assert 1 <= seconds <= 3
            time.sleep(seconds)
            return False
        assert answer.status_code == 200
        return True

    tokens = [keycloak.log_in("ana", password="demo-ana")["access_token"]]
    for priority in (200, 300):
        keycloak.rotate_keys(priority)
        tokens.append(keycloak.log_in("ana", password="demo-ana")["access_token"])
        until_now(lambda: is_accepted(tokens[-1]))
    assert [status(http, token) for token in tokens] == [200] * 3
    assert len({token.partition(".")[0] for token in tokens}) == 3  # each token was signed with its own key


def test_a_keycloak_that_is_killed_refuses_nobody_who_is_known(
    keycloak: Keycloak, http: httpx.Client, issuer: Issuer
) -> None:
    known = keycloak.log_in("ana", password="demo-ana")["access_token"]
    other = keycloak.log_in("bruno", password="demo-bruno")["access_token"]
    assert status(http, known) == 200
    keycloak.kill()
    try:
        assert status(http, known) == 200
        assert status(http, other) == 200  # the first use of this token is verified with cached keys
        answer = http.get(WHO, headers=bearer(issuer.person(ANA, iss=keycloak.issuer, key=new_key())))
        assert (answer.status_code, answer.headers["Error-Code"]) == (503, "identity-away")
        assert int(answer.headers["Retry-After"]) >= 1
    finally:
        keycloak.start()
    assert status(http, known) == 200
    assert status(http, keycloak.log_in("ana", password="demo-ana")["access_token"]) == 200


def refresh(keycloak: Keycloak, answer: dict[str, Any]) -> httpx.Response:
    form = {"grant_type": "refresh_token", "client_id": "portal-cidadao", "refresh_token": answer["refresh_token"]}
    secret = {"client_secret": keycloak.client("portal-cidadao")["secret"]}
    return httpx.post(f"{keycloak.issuer}/protocol/openid-connect/token", data=form | secret, timeout=PATIENCE)


def test_a_logout_there_ends_the_tokens_here_and_costs_another_session_one_renewal(
    keycloak: Keycloak, http: httpx.Client
) -> None:
    answer = keycloak.log_in("ana", password="demo-ana")
    other = keycloak.log_in("ana", password="demo-ana")
    assert (status(http, answer["access_token"]), status(http, other["access_token"])) == (200, 200)
    log_out(keycloak, answer, "portal-cidadao")
    until_now(lambda: status(http, answer["access_token"]) == 401)
    assert refresh(keycloak, answer).status_code == 400
    # Tokens issued in the same second as the logout count as older than the logout.
    until_now(lambda: status(http, refresh(keycloak, other).json()["access_token"]) == 200)


def test_an_administrator_who_ends_all_sessions_of_a_person_ends_all_their_tokens(
    keycloak: Keycloak, http: httpx.Client
) -> None:
    """Keycloak sends only one logout token for all sessions. A token with a `sid` would end only one of them."""
    answers = [keycloak.log_in("bruno", password="demo-bruno") for _ in range(3)]
    tokens = [answer["access_token"] for answer in answers]
    assert len({claims_of(token)["sid"] for token in tokens}) == 3
    assert [status(http, token) for token in tokens] == [200] * 3
    (found,) = keycloak.administer("GET", f"/{REALM}/users?username=bruno&exact=true")
    keycloak.administer("POST", f"/{REALM}/users/{found['id']}/logout")
    until_now(lambda: [status(http, token) for token in tokens] == [401] * 3)


# ---- which callers are machines -----------------------------------------------------------------------------------

# A lightweight access token contains these claims only if a mapper adds them.
EVEN_LIGHTWEIGHT = [
    mapper("oidc-audience-mapper", included__client__audience="account", lightweight__claim="true"),
    mapper("oidc-sub-mapper", lightweight__claim="true"),
]
LIGHTWEIGHT = {"client.use.lightweight.access.token.enabled": "true"}
EXCHANGING = {"standard.token.exchange.enabled": "true"}
EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"
OF_ACCESS = "urn:ietf:params:oauth:token-type:access_token"


@pytest.fixture(scope="module")
def kinds(keycloak: Keycloak) -> dict[str, str]:
    """Return the tokens of service accounts, and tokens of people that are as similar as Keycloak allows."""
    keycloak.add_people(user("marta"))
    for_exchange = mapper("oidc-audience-mapper", included__client__audience="m-troca")
    further: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
        "m-plena": (("email", "acr", "microprofile-jwt"), {}),
        "m-renova": ((), {"attributes": {"client_credentials.use_refresh_token": "true"}}),
        "m-leve": ((), {"attributes": LIGHTWEIGHT, "protocolMappers": EVEN_LIGHTWEIGHT}),
        "m-troca": ((), {"attributes": EXCHANGING, "defaultClientScopes": ["basic", "balcao"]}),
        "m-origem": ((), {"protocolMappers": [for_exchange], "defaultClientScopes": ["basic", "balcao"]}),
    }
    for name, (scopes, more) in further.items():
        flows = {"serviceAccountsEnabled": True, "directAccessGrantsEnabled": True}
        keycloak.add_client(name, "basic", "balcao", *scopes, **flows | more)

    def ask(client: str, grant: str, **form: str) -> str:
        sent = {"client_id": client, "client_secret": client, "grant_type": grant} | form
        answer = httpx.post(f"{keycloak.issuer}/protocol/openid-connect/token", data=sent, timeout=PATIENCE)
        assert answer.status_code == 200, answer.text
        return str(answer.json()["access_token"])

    def exchange(token: str) -> str:
        return ask("m-troca", EXCHANGE, subject_token=token, subject_token_type=OF_ACCESS)

    marta = {"username": "marta", "password": "marta"}
    accounts = {f"{name}, service account": ask(name, "client_credentials") for name in further}
    logins = {f"{name}, a person": ask(name, "password", **marta) for name in further}
    return accounts | logins | {
        "an exchanged service account": exchange(accounts["m-origem, service account"]),
        "an exchanged person": exchange(logins["m-origem, a person"]),
    }  # fmt: skip


def test_of_its_tokens_those_of_service_accounts_alone_are_machines(kinds: dict[str, str]) -> None:
    """All clients are listed as machines, so only the claims decide.

    A service account with a session is not a machine.
    """
    clients = frozenset(claims_of(token)["azp"] for token in kinds.values())
    found = {name: from_claims(claims_of(token), ClaimPolicy(machine_clients=clients)) for name, token in kinds.items()}
    assert all(caller.cpf is None for caller in found.values())
    assert {name for name, caller in found.items() if caller.is_machine} == {
        "m-plena, service account",
        "m-leve, service account",
        "m-troca, service account",
        "m-origem, service account",
        "an exchanged service account",
    }
    unlisted = ClaimPolicy(machine_clients=clients - {"m-troca"})
    assert not from_claims(claims_of(kinds["an exchanged service account"]), unlisted).is_machine


def test_its_tokens_of_clients_that_are_not_listed_open_nothing_of_a_machines(
    http: httpx.Client, kinds: dict[str, str]
) -> None:
    served = BY_SCOPE[0]
    found = {
        http.request(served.method, served.filled(), headers=bearer(token)).status_code for token in kinds.values()
    }
    assert found == {403}
