"""Stolen, forged and altered requests in the code flow."""

import httpx
import pytest

from tests.sandbox.identity.conftest import settings_in
from tests.sandbox.identity.provider import CALLBACK, Portal, RunningProvider, parse_response, refusal
from tests.support.demo_people import KLEBER
from tests.support.fixture_types import Sql
from tests.support.polling import PATIENCE

# A condition that selects the row of a code or refresh token.
_OF = "WHERE hash = sha256(convert_to($1, 'UTF8'))"


def test_a_code_used_twice_ends_all_that_came_of_it(portal: Portal, provider: RunningProvider) -> None:
    form = portal.exchange_form(portal.log_in())
    tokens = provider.token(form).json()
    again = provider.token(form)
    assert refusal(again) == (400, "invalid-grant")
    refresh = {"grant_type": "refresh_token", "client_id": "portal-cidadao", "refresh_token": tokens["refresh_token"]}
    assert refusal(provider.token(refresh)) == (400, "invalid-grant")
    bearer = {"Authorization": f"Bearer {tokens['access_token']}"}
    shown = httpx.get(provider.metadata["userinfo_endpoint"], headers=bearer, timeout=PATIENCE)
    assert refusal(shown) == (401, "invalid-token")


def test_a_code_reused_long_after_its_minute_still_ends_the_grant(
    portal: Portal, provider: RunningProvider, sql: Sql
) -> None:
    form = portal.exchange_form(portal.log_in())
    tokens = provider.token(form).json()
    sql(
        f"UPDATE platform.identity_credential SET expires_at = now(), used_at = now() - interval '1 h' {_OF}",
        form["code"],
    )
    assert refusal(provider.token(form)) == (400, "invalid-grant")
    refresh = {"grant_type": "refresh_token", "client_id": "portal-cidadao", "refresh_token": tokens["refresh_token"]}
    assert refusal(provider.token(refresh)) == (400, "invalid-grant")


@pytest.mark.parametrize(
    "change",
    [
        {"code_verifier": "x" * 43},
        {"code_verifier": ""},
        {"code_verifier": "curto"},
        {"redirect_uri": "http://127.0.0.1:4322/callback"},
        {"redirect_uri": ""},
        {"client_id": "portal-servidor"},
        {"code": "inventado"},
        {"code": ""},
    ],
)
def test_a_code_is_worth_nothing_with_anything_else_changed(
    portal: Portal, provider: RunningProvider, change: dict[str, str]
) -> None:
    answer = provider.token(portal.exchange_form(portal.log_in(), **change))
    assert refusal(answer) == (400, "invalid-grant")


@pytest.mark.parametrize(
    ("name", "value"),
    [("redirect_uri", "http://127.0.0.1:4322/callback"), ("code_verifier", "x" * 43), ("code_verifier", "")],
)
def test_a_refused_code_says_what_does_not_fit(
    portal: Portal, provider: RunningProvider, name: str, value: str
) -> None:
    """The message tells the developer of a portal what the mistake is. The code still cannot be used again."""
    form = portal.exchange_form(portal.log_in(), **{name: value})
    assert name in provider.token(form).json()["error_description"]
    assert "já foi usado" in provider.token(form).json()["error_description"]


def test_a_code_has_one_try(portal: Portal, provider: RunningProvider) -> None:
    form = portal.exchange_form(portal.log_in())
    provider.token(form | {"code_verifier": "x" * 43})
    assert refusal(provider.token(form)) == (400, "invalid-grant")


def test_a_wrong_secret_is_refused_where_none_is_needed(portal: Portal, provider: RunningProvider) -> None:
    form = portal.exchange_form(portal.log_in())
    assert refusal(provider.token(form | {"client_secret": "errado"})) == (401, "invalid-client")
    assert provider.token(form | {"client_secret": "sandbox-portal-cidadao-secret"}).status_code == 200


def test_an_expired_code_is_refused(portal: Portal, provider: RunningProvider, sql: Sql) -> None:
    form = portal.exchange_form(portal.log_in())
    sql(f"UPDATE platform.identity_credential SET expires_at = now() {_OF}", form["code"])
    assert refusal(provider.token(form)) == (400, "invalid-grant")


def test_an_expired_refresh_token_is_refused(portal: Portal, provider: RunningProvider, sql: Sql) -> None:
    refresh = portal.tokens()["refresh_token"]
    sql(f"UPDATE platform.identity_credential SET expires_at = now() {_OF}", refresh)
    form = {"grant_type": "refresh_token", "client_id": "portal-cidadao", "refresh_token": refresh}
    assert refusal(provider.token(form)) == (400, "invalid-grant")


def test_a_refresh_token_used_again_later_ends_the_grant_for_both_users(
    portal: Portal, provider: RunningProvider, sql: Sql
) -> None:
    form = {"grant_type": "refresh_token", "client_id": "portal-cidadao"}
    first = portal.tokens()["refresh_token"]
    second = provider.token(form | {"refresh_token": first}).json()["refresh_token"]
    sql(f"UPDATE platform.identity_credential SET used_at = used_at - interval '31 s' {_OF}", first)
    assert refusal(provider.token(form | {"refresh_token": first})) == (400, "invalid-grant")
    assert refusal(provider.token(form | {"refresh_token": second})) == (400, "invalid-grant")


def test_a_refresh_token_serves_only_its_own_client(portal: Portal, provider: RunningProvider) -> None:
    form = {"grant_type": "refresh_token", "client_id": "portal-servidor"}
    assert refusal(provider.token(form | {"refresh_token": portal.tokens()["refresh_token"]})) == (400, "invalid-grant")


@pytest.mark.parametrize(
    "change",
    [
        {"code_challenge_method": "plain"},
        {"code_challenge_method": None},
        {"code_challenge": None},
        {"code_challenge": "curto"},
    ],
)
def test_without_a_proper_challenge_nobody_logs_in(portal: Portal, change: dict[str, str | None]) -> None:
    answer = portal.browser.get(change_login_url(portal, change))
    assert answer.headers["location"].startswith(CALLBACK)
    assert refusal(answer) == (303, "invalid-request")


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"response_type": "token"}, "unsupported-response-type"),
        ({"response_type": None}, "unsupported-response-type"),
        ({"response_mode": "form_post"}, "invalid-request"),
        ({"request": "e30.e30."}, "request-not-supported"),
        ({"request_uri": "https://mal.example/r"}, "request-uri-not-supported"),
    ],
)
def test_what_is_not_offered_goes_back_as_an_error_with_state(
    portal: Portal, change: dict[str, str | None], code: str
) -> None:
    answer = portal.browser.get(change_login_url(portal, change))
    assert refusal(answer) == (303, code)
    assert parse_response(answer.headers["location"])["state"] == portal.state


@pytest.mark.parametrize(
    "address",
    [
        "https://mal.example/callback",
        "https://cidadao.portoaurora.example/callback/",
        "https://cidadao.portoaurora.example/callback?x=1",
        "https://servidor.portoaurora.example/callback",
        "https://127.0.0.1/callback",
        "http://127.0.0.1.mal.example/callback",
        "http://127.0.0.1@mal.example/",
        "http://localhost\\@mal.example/",
        "http://mal.example#@127.0.0.1/",
        "http://127.0.0.1/#f",
        "http://127.0.0.1:0/",
        "http://127.0.0.1:99999/",
        "http://[::1/",
        "http://127.0.0.1/\r\nSet-Cookie: x=1",
        "javascript:alert(1)",
        "//127.0.0.1/callback",
        "",
    ],
)
def test_nobody_is_ever_sent_to_an_address_that_is_not_the_clients(portal: Portal, address: str) -> None:
    answer = portal.browser.get(change_login_url(portal, {"redirect_uri": address}))
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")
    assert "location" not in answer.headers
    assert "endereço de retorno" in answer.text


@pytest.mark.parametrize("address", [CALLBACK, "http://localhost:3000/", "http://[::1]:9/a?b=c"])
def test_a_program_on_the_persons_machine_may_listen_on_any_port(portal: Portal, address: str) -> None:
    page = portal.browser.get(change_login_url(portal, {"redirect_uri": address}))
    answer = portal.send(page, username="ana", password="demo-ana")
    assert answer.headers["location"].startswith(address)


@pytest.mark.parametrize("client", ["ninguem", "painel-saude", ""])
def test_an_unknown_client_is_told_to_the_person_alone(portal: Portal, client: str) -> None:
    answer = portal.browser.get(change_login_url(portal, {"client_id": client}))
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")
    assert "location" not in answer.headers


def test_the_request_cannot_be_changed_between_page_and_login(portal: Portal) -> None:
    page = portal.page()
    page.request.url = httpx.URL(page.url)
    twisted = page.text.replace("127.0.0.1%3A4321", "mal.example")
    assert twisted != page.text
    answer = portal.send(httpx.Response(200, text=twisted, request=page.request), username="ana", password="demo-ana")
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")
    assert "location" not in answer.headers


def test_a_parameter_twice_is_refused(portal: Portal) -> None:
    answer = portal.browser.get(f"{portal.login_url()}&client_id=portal-servidor")
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")
    assert "location" not in answer.headers


def test_an_oversize_login_form_is_refused(portal: Portal) -> None:
    answer = portal.send(portal.page(), username="a" * 20_000, password="x")
    assert (answer.status_code, answer.headers["Error-Code"]) == (413, "too-large")


def test_a_scope_of_the_specification_never_gets_into_a_persons_token(
    portal: Portal, provider: RunningProvider
) -> None:
    address = portal.log_in(scope="openid rmi:pessoa-fisica:read offline_access")
    answer = provider.token(portal.exchange_form(address)).json()
    assert answer["scope"] == "openid"


def test_without_openid_there_is_no_id_token(portal: Portal, provider: RunningProvider) -> None:
    answer = provider.token(portal.exchange_form(portal.log_in(scope="profile"))).json()
    assert "id_token" not in answer


@pytest.mark.parametrize("bearer", [None, "", "x", "Bearer", "Bearer x.y.z", "Basic YTpi"])
def test_user_info_wants_a_living_token(provider: RunningProvider, bearer: str | None) -> None:
    headers = {} if bearer is None else {"Authorization": bearer}
    answer = httpx.get(provider.metadata["userinfo_endpoint"], headers=headers, timeout=PATIENCE)
    assert refusal(answer) == (401, "invalid-token")
    assert answer.headers["www-authenticate"].startswith("Bearer")


def test_user_info_takes_neither_an_id_token_nor_a_machines_token(portal: Portal, provider: RunningProvider) -> None:
    machine = {
        "grant_type": "client_credentials", "client_id": "crm-sandbox", "client_secret": "sandbox-crm-webhook-secret",
    }  # fmt: skip
    for token in (portal.tokens(KLEBER)["id_token"], provider.token(machine).json()["access_token"]):
        bearer = {"Authorization": f"Bearer {token}"}
        shown = httpx.get(provider.metadata["userinfo_endpoint"], headers=bearer, timeout=PATIENCE)
        assert refusal(shown) == (401, "invalid-token")


def test_guessing_a_password_is_slowed_down(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> None:
    strict = RunningProvider(settings_in(tmp_path_factory.mktemp("strict")), database_url, strict=True)
    with strict, Portal(strict) as portal:
        page = portal.page()
        answers = [portal.send(page, username="ana", password="errada") for _ in range(11)]
        assert {answer.status_code for answer in answers[:10]} == {400}
        assert (answers[10].status_code, answers[10].headers["Error-Code"]) == (429, "too-many")
        assert "Muitas tentativas" in answers[10].text
        assert int(answers[10].headers["retry-after"]) > 0
        assert portal.send(page, username="ana", password="demo-ana").status_code == 429
        assert portal.send(page, username="bruno", password="demo-bruno").status_code == 303


def test_guessing_a_secret_is_slowed_down(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> None:
    portal = {"grant_type": "client_credentials", "client_id": "portal-cidadao"}
    guess, right = portal | {"client_secret": "errado"}, portal | {"client_secret": "sandbox-portal-cidadao-secret"}
    with RunningProvider(settings_in(tmp_path_factory.mktemp("guesses")), database_url, strict=True) as strict:
        for _ in range(20):
            assert strict.token(right).status_code == 200
        assert {refusal(strict.token(guess)) for _ in range(10)} == {(401, "invalid-client")}
        refused = [strict.token(form) for form in (guess, guess, right)]
        assert [answer.status_code for answer in refused] == [401, 429, 429]
        assert (refused[1].headers["Error-Code"], refused[1].json()["error"]) == ("enumeration", "invalid_request")
        assert int(refused[1].headers["retry-after"]) > 0
        other = {"client_id": "portal-servidor", "client_secret": "sandbox-portal-servidor-secret"}
        assert strict.token(portal | other).status_code == 200


def test_a_nonce_that_cannot_be_stored_goes_back_as_an_error(portal: Portal) -> None:
    assert refusal(portal.browser.get(change_login_url(portal, {"nonce": "a\0b"}))) == (303, "invalid-request")


def test_only_hashes_of_what_the_browser_and_the_client_hold_are_stored(portal: Portal, sql: Sql) -> None:
    address = portal.log_in()
    tokens = portal.exchange(address)
    stored = str(sql("SELECT session::text FROM platform.identity_session AS session"))
    stored += str(sql("SELECT held::text FROM platform.identity_credential AS held"))
    for held in (parse_response(address)["code"], tokens["refresh_token"], portal.browser.cookies["balcao_session"]):
        assert held not in stored
        assert held.encode().hex() not in stored


def change_login_url(portal: Portal, change: dict[str, str | None]) -> httpx.URL:
    """Return the portal's login address with some parameters replaced, or removed if the value is None."""
    url = httpx.URL(portal.login_url())
    for name, value in change.items():
        url = url.copy_remove_param(name) if value is None else url.copy_set_param(name, value)
    return url
