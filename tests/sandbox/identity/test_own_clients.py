"""In the trial, developers create clients. They see and change only their own clients, and get no further rights."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import httpx
import pytest

from balcao.core.access.caller import ClaimPolicy, from_claims
from balcao.settings import TEST_CLIENTS, Settings
from balcao_sandbox.identity.own_clients import MOST_CLIENTS, list_scopes
from tests.sandbox.identity.provider import ANA, DAVI, OPTIONS, RunningProvider, person
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE

CALLBACK = "http://localhost:3000/callback"
WANTED = {"name": "Portal de teste", "redirect_uris": CALLBACK, "access_seconds": "120", "refresh_seconds": "900"}


class Developer:
    """A developer who manages their own clients with a browser."""

    def __init__(self, running: RunningProvider, cpf: str) -> None:
        self.running = running
        self.browser = httpx.Client(headers={"Accept": "text/html"}, follow_redirects=True, **OPTIONS)
        who = person(cpf)
        self.post("/login", username=who.username, password=who.password)

    def get(self, path: str = "") -> httpx.Response:
        return self.browser.get(f"{self.running.issuer}/clients{path}")

    def post(self, path: str = "", **typed: str) -> httpx.Response:
        csrf = re.findall(r'name="csrf" value="([^"]+)"', self.get().text)[0]
        return self.browser.post(f"{self.running.issuer}/clients{path}", data={"csrf": csrf, **typed})

    def add(self, **changes: str) -> tuple[str, str]:
        added = self.post(**WANTED | changes)
        assert added.status_code == 201, added.text
        return read_secret(added)

    def list_ids(self) -> list[str]:
        return re.findall(rf"/clients/({TEST_CLIENTS}\w+)/end", self.get().text)


def read_secret(page: httpx.Response) -> tuple[str, str]:
    """Return a client's id and its secret, which a page shows only once."""
    client, secret = re.findall(r"<dd>\s*<code>([^<]+)</code>\s*</dd>", page.text)[:2]
    return client, secret


@pytest.fixture
def open_developer(provider: RunningProvider, sql: Sql) -> Iterator[Callable[[str], Developer]]:
    opened: list[Developer] = []

    def open_one(cpf: str) -> Developer:
        opened.append(Developer(provider, cpf))
        return opened[-1]

    yield open_one
    for each in opened:
        each.browser.close()
    sql("DELETE FROM platform.identity_client")


@pytest.fixture
def ana(open_developer: Callable[[str], Developer]) -> Developer:
    return open_developer(ANA)


@pytest.fixture
def davi(open_developer: Callable[[str], Developer]) -> Developer:
    return open_developer(DAVI)


def take_token(provider: RunningProvider, client: tuple[str, str], **asked: str) -> httpx.Response:
    return provider.token({"grant_type": "client_credentials", **asked}, auth=client)


def test_a_client_gets_the_tokens_that_its_maker_asked_for(provider: RunningProvider, ana: Developer) -> None:
    client = ana.add(**{"scope.sms:read": "on"})
    answer = take_token(provider, client).raise_for_status().json()
    assert (answer["scope"], answer["expires_in"]) == ("sms:read", 120)
    claims = provider.claims(answer["access_token"])
    policy = ClaimPolicy(test_clients=provider.settings.test_clients)
    assert from_claims(claims, policy).is_machine
    assert not from_claims(claims).is_machine


def test_a_person_logs_in_by_it_at_its_own_addresses_alone(provider: RunningProvider, ana: Developer) -> None:
    client, _ = ana.add()
    asked = {"client_id": client, "response_type": "code", "code_challenge": "x" * 43, "code_challenge_method": "S256"}
    address = provider.metadata["authorization_endpoint"]
    for redirect_uri, status in [(CALLBACK, 302), (f"{CALLBACK}/other", 400), ("http://localhost:3001/callback", 400)]:
        answer = ana.browser.get(
            f"{address}?{urlencode(asked | {'redirect_uri': redirect_uri})}", follow_redirects=False
        )
        assert answer.status_code == status, redirect_uri
        assert answer.headers.get("location", CALLBACK).startswith(CALLBACK)


def test_a_secret_is_shown_once_and_kept_as_a_digest(ana: Developer, sql: Sql) -> None:
    client, secret = ana.add()
    assert secret not in ana.get().text
    assert client in ana.get().text
    assert secret not in str(sql("SELECT own::text FROM platform.identity_client AS own"))


def test_a_renewed_secret_ends_the_one_before(provider: RunningProvider, ana: Developer) -> None:
    client, old = ana.add()
    _, new = read_secret(ana.post(f"/{client}/secret"))
    assert take_token(provider, (client, old)).status_code == 401
    assert take_token(provider, (client, new)).status_code == 200


def test_an_ended_client_gets_nothing_more(provider: RunningProvider, ana: Developer) -> None:
    client = ana.add()
    assert "Não é possível desfazer" in ana.get(f"/{client[0]}/end").text
    ana.post(f"/{client[0]}/end")
    assert ana.list_ids() == []
    assert take_token(provider, client).status_code == 401


def test_nobody_sees_or_changes_the_client_of_somebody_else(
    provider: RunningProvider, ana: Developer, davi: Developer
) -> None:
    client = ana.add()
    assert davi.list_ids() == []
    assert davi.get(f"/{client[0]}/end").status_code == 404
    assert davi.post(f"/{client[0]}/secret").status_code == 404
    assert davi.post(f"/{client[0]}/end").headers["error-code"] == "client-unknown"
    assert take_token(provider, client).status_code == 200


def test_who_is_not_logged_in_is_asked_to(provider: RunningProvider, ana: Developer) -> None:
    client, _ = ana.add()
    for path in ("", f"/{client}/end"):
        page = httpx.get(f"{provider.issuer}/clients{path}", headers={"Accept": "text/html"}, timeout=PATIENCE)
        assert 'name="password"' in page.text
        assert client not in page.text.replace(f"/{client}/end", "")


@pytest.mark.parametrize("path", ["", "/{client}/secret", "/{client}/end"])
def test_another_site_cannot_send_a_form_in_somebodys_name(ana: Developer, path: str) -> None:
    client, _ = ana.add()
    for forged in ({}, {"csrf": "x" * 43}):
        sent = ana.browser.post(f"{ana.running.issuer}/clients{path.format(client=client)}", data=WANTED | forged)
        assert sent.status_code == 400
    assert ana.list_ids() == [client]


def test_there_are_ten_for_each_person(ana: Developer, davi: Developer) -> None:
    for _ in range(MOST_CLIENTS):
        ana.add()
    refused = ana.post(**WANTED)
    assert (refused.status_code, refused.headers["error-code"]) == (409, "too-many-clients")
    assert len(ana.list_ids()) == MOST_CLIENTS
    davi.add()


@pytest.mark.parametrize(
    "changes",
    [
        {"redirect_uris": "http://cidade.example/callback"},
        {"redirect_uris": "https://ana@cidade.example/callback"},
        {"redirect_uris": "https://cidade.example/callback#a"},
        {"redirect_uris": "https://*.cidade.example/"},
        {"redirect_uris": "https:///callback"},
        {"redirect_uris": "https://cidade.example:0/"},
        {"redirect_uris": "javascript:alert(1)"},
        {"redirect_uris": "https://cidade.exámple/"},
        {"redirect_uris": "https://cidade.example/" + "a" * 200},
        {"redirect_uris": " ".join(f"https://cidade.example/{place}" for place in range(6))},
        {"name": " "},
        {"name": "a" * 61},
        {"name": "a\u202eb"},
        {"access_seconds": "3601"},
        {"access_seconds": "29"},
        {"access_seconds": "1e3"},
        {"refresh_seconds": "36001"},
        {"refresh_seconds": ""},
    ],
)
def test_what_may_not_be_asked_for_makes_no_client(ana: Developer, changes: dict[str, str]) -> None:
    refused = ana.post(**WANTED | changes)
    assert (refused.status_code, refused.headers["error-code"]) == (400, "invalid-request")
    assert ana.list_ids() == []


def test_no_scope_is_wider_than_those_of_the_trial(provider: RunningProvider, ana: Developer) -> None:
    everything = {f"scope.{scope}": "on" for scope in [*list_scopes(), "admin", "superadmin"]}
    client = ana.add(**everything)
    assert take_token(provider, client).json()["scope"].split() == list_scopes()
    assert take_token(provider, client, scope="admin").status_code == 400


def test_what_is_typed_is_shown_as_text(ana: Developer) -> None:
    ana.add(name="<script>alert(1)</script>")
    assert "<script>" not in ana.get().text


def test_outside_the_trial_no_client_is_a_machine_by_its_name() -> None:
    settings = Settings(profile="production", auth_issuer="https://login.cidade.example/realms/cidade")
    assert settings.test_clients == ""


def test_a_token_of_a_login_is_no_machine(provider: RunningProvider) -> None:
    policy = ClaimPolicy(test_clients=TEST_CLIENTS)
    claims = {"sub": "s", "exp": 0, "azp": f"{TEST_CLIENTS}0", "sid": "session"}
    assert not from_claims(claims, policy).is_machine
