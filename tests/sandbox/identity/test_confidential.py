"""A portal's server authenticates with its secret. Its library sends neither PKCE nor a scope."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import httpx
import msgspec
import pytest
from authlib.integrations.requests_client import OAuth2Session

from balcao_sandbox.identity.demo import Client, clients
from tests.sandbox.identity.provider import CALLBACK, Portal, RunningProvider, person, refusal
from tests.support.demo_people import ANA
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE

PORTALS = {client.client_id: client for client in clients() if client.pkce == "optional"}
CIDADAO = PORTALS["portal-cidadao"]
METHODS = ["client_secret_basic", "client_secret_post"]


class PortalServer(Portal):
    """A portal's server, which sends neither a PKCE challenge nor a scope."""

    def __init__(self, running: RunningProvider, client: Client, method: str = "client_secret_basic") -> None:
        super().__init__(running, client.client_id)
        self.client = client
        self.method = method
        self.oauth = self.library()

    def library(self) -> OAuth2Session:
        return OAuth2Session(
            self.client.client_id, self.client.secret, redirect_uri=CALLBACK, token_endpoint_auth_method=self.method
        )

    def login_url(self, **further: Any) -> str:
        url, self.state = self.oauth.create_authorization_url(self.metadata["authorization_endpoint"], **further)
        assert "code_challenge" not in url
        assert "scope" not in url
        return str(url)

    def refresh(self, token: str) -> dict[str, Any]:
        with self.library() as tab:
            return dict(tab.refresh_token(self.metadata["token_endpoint"], refresh_token=token))

    def exchange(self, address: str) -> dict[str, Any]:
        endpoint = self.metadata["token_endpoint"]
        return dict(self.oauth.fetch_token(endpoint, authorization_response=address, state=self.state))

    def exchange_form(self, address: str, **changes: str) -> dict[str, str]:
        form = super().exchange_form(address) | {"client_secret": self.client.secret} | changes
        return {name: value for name, value in form.items() if name != "code_verifier" or name in changes}


@pytest.fixture
def server(provider: RunningProvider) -> Iterator[PortalServer]:
    with PortalServer(provider, CIDADAO) as opened:
        yield opened


@pytest.fixture
def changed_client(provider: RunningProvider) -> Iterator[Callable[..., None]]:
    """Yield a function that changes the client `portal-cidadao`. The change is undone after the test."""
    known = provider.realm.clients

    def change(**members: Any) -> None:
        changed = msgspec.structs.replace(CIDADAO, **members)
        provider.realm.clients = {**known, changed.client_id: changed}

    yield change
    provider.realm.clients = known


def age(sql: Sql, token: str, by: str) -> None:
    """Move the last use of a refresh token into the past by this interval."""
    used = "UPDATE platform.identity_credential SET used_at = used_at - $2::text::interval"
    sql(f"{used} WHERE hash = sha256(convert_to($1, 'UTF8'))", token, by)


def test_the_two_demo_portals_may_leave_the_challenge_out() -> None:
    assert set(PORTALS) == {"portal-cidadao", "portal-servidor"}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("client", PORTALS.values(), ids=lambda client: client.client_id)
def test_a_portals_server_logs_in_refreshes_twice_at_once_and_stays_logged_in(
    provider: RunningProvider, client: Client, method: str
) -> None:
    with PortalServer(provider, client, method) as server:
        first = server.tokens()
        assert provider.claims(first["access_token"])["cpf"] == ANA
        together = Barrier(2)

        def refresh(token: str) -> dict[str, Any]:
            with server.library() as tab:
                together.wait(PATIENCE)
                return dict(tab.refresh_token(server.metadata["token_endpoint"], refresh_token=token))

        with ThreadPoolExecutor(2) as tabs:
            one, other = tabs.map(refresh, [first["refresh_token"]] * 2)
        assert one["refresh_token"] == other["refresh_token"]
        shown = server.oauth.get(server.metadata["userinfo_endpoint"]).json()
        assert (shown["cpf"], shown["email"]) == (ANA, person(ANA).email)
        again = server.oauth.refresh_token(server.metadata["token_endpoint"], refresh_token=one["refresh_token"])
        assert provider.claims(again["access_token"])["sid"] == provider.claims(first["access_token"])["sid"]


def test_a_portal_whose_response_was_lost_refreshes_at_its_next_turn_and_stays_logged_in(
    server: PortalServer, sql: Sql
) -> None:
    first = server.tokens()["refresh_token"]
    lost = server.refresh(first)["refresh_token"]
    age(sql, first, "600 s")
    again = server.refresh(first)
    assert again["refresh_token"] == lost
    assert server.refresh(lost)["refresh_token"] != lost


@pytest.mark.parametrize(
    ("aged", "has_secret", "is_followed"),
    [("660 s", True, False), ("30 s", False, False), ("30 s", True, True), ("0 s", True, True)],
    ids=["beyond the window", "stolen, without the secret", "what followed is in use", "the same, a moment ago"],
)
def test_a_refresh_token_used_again_in_any_other_way_ends_the_grant(
    server: PortalServer, provider: RunningProvider, sql: Sql, aged: str, *, has_secret: bool, is_followed: bool
) -> None:
    first = server.tokens()["refresh_token"]
    last = server.refresh(first)["refresh_token"]
    if is_followed:
        last = server.refresh(last)["refresh_token"]
    age(sql, first, aged)
    form = {"grant_type": "refresh_token", "client_id": CIDADAO.client_id}
    proof = {"client_secret": CIDADAO.secret} if has_secret else {}
    assert refusal(provider.token(form | proof | {"refresh_token": first})) == (400, "invalid-grant")
    assert refusal(provider.token(form | {"refresh_token": last})) == (400, "invalid-grant")


def test_where_the_entry_sets_no_longer_time_a_lost_response_ends_the_session_after_half_a_minute(
    server: PortalServer, provider: RunningProvider, changed_client: Callable[..., None], sql: Sql
) -> None:
    changed_client(repeat_seconds=Client.__struct_defaults__[-1])
    first = server.tokens()["refresh_token"]
    server.refresh(first)
    age(sql, first, "30 s")
    form = {"grant_type": "refresh_token", "refresh_token": first, "client_secret": CIDADAO.secret}
    assert refusal(provider.token(form | {"client_id": CIDADAO.client_id})) == (400, "invalid-grant")


def test_the_tokens_of_the_demo_portals_outlive_a_refresh_that_failed(server: PortalServer) -> None:
    """A portal refreshes every 300 seconds.

    If a refresh fails, the portal can try once more before the token expires.
    """
    assert {portal.access_seconds for portal in PORTALS.values()} == {600}
    assert server.tokens()["expires_in"] == 600


def test_without_a_scope_all_scopes_of_people_are_granted(server: PortalServer) -> None:
    tokens = server.tokens()
    assert tokens["scope"] == "openid profile email"
    assert "id_token" in tokens


@pytest.mark.parametrize(
    "changes",
    [
        {"client_secret": ""},
        {"code_verifier": "x" * 43},
        {"redirect_uri": "http://127.0.0.1:4322/callback"},
        {"client_id": "portal-servidor", "client_secret": PORTALS["portal-servidor"].secret},
    ],
)
def test_a_code_without_challenge_is_for_the_secret_alone(
    server: PortalServer, provider: RunningProvider, changes: dict[str, str]
) -> None:
    form = {name: value for name, value in server.exchange_form(server.log_in(), **changes).items() if value}
    refused = provider.token(form)
    assert refusal(refused) == (400, "invalid-grant")


def test_a_secret_does_not_stand_in_for_the_verifier_of_a_challenge(portal: Portal, provider: RunningProvider) -> None:
    form = portal.exchange_form(portal.log_in(), client_secret=CIDADAO.secret)
    del form["code_verifier"]
    assert refusal(provider.token(form)) == (400, "invalid-grant")


@pytest.mark.parametrize("changes", [{"code_challenge": "x" * 43}, {"code_challenge_method": "S256"}])
def test_half_a_challenge_is_none(server: PortalServer, changes: dict[str, str]) -> None:
    page = server.browser.get(httpx.URL(server.login_url()).copy_merge_params(changes))
    assert refusal(page) == (303, "invalid-request")


def test_where_the_entry_does_not_say_so_a_challenge_is_demanded(
    server: PortalServer, changed_client: Callable[..., None]
) -> None:
    changed_client(pkce="required")
    assert refusal(server.page()) == (303, "invalid-request")


def test_tokens_live_as_long_as_the_clients_entry_says(
    server: PortalServer, provider: RunningProvider, changed_client: Callable[..., None], sql: Sql
) -> None:
    changed_client(access_seconds=60, refresh_seconds=7200)
    tokens = server.tokens()
    assert (tokens["expires_in"], tokens["refresh_expires_in"]) == (60, 7200)
    for token in (tokens["access_token"], tokens["id_token"]):
        claims = provider.claims(token)
        assert claims["exp"] - claims["iat"] == 60
    left = """
        SELECT extract(epoch FROM session.expires_at - now()) > 7000,
               extract(epoch FROM credential.expires_at - now()) > 7000
        FROM platform.identity_credential AS credential JOIN platform.identity_grant AS granted ON granted.id = grant_id
        JOIN platform.identity_session AS session ON session.id = session_id WHERE hash = sha256(convert_to($1, 'UTF8'))
    """
    assert [tuple(row) for row in sql(left, tokens["refresh_token"])] == [(True, True)]


def test_a_machines_token_lives_as_long_as_its_entry_says(
    provider: RunningProvider, changed_client: Callable[..., None]
) -> None:
    changed_client(machine_seconds=60, access_seconds=90)
    form = {"grant_type": "client_credentials", "client_id": CIDADAO.client_id, "client_secret": CIDADAO.secret}
    answer = provider.token(form).json()
    claims = provider.claims(answer["access_token"])
    assert answer["expires_in"] == claims["exp"] - claims["iat"] == 60


@pytest.mark.parametrize("member", ["access_seconds", "machine_seconds"])
def test_no_entry_outlives_the_keys_that_sign_its_tokens(member: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(msgspec.to_builtins(CIDADAO) | {member: 3601}, Client)


def test_no_entry_lets_a_refresh_token_be_repeated_for_longer_than_fifteen_minutes() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(msgspec.to_builtins(CIDADAO) | {"repeat_seconds": 901}, Client)
