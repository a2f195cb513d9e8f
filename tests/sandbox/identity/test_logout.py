"""A logout through the browser or the back channel ends the session and every grant made in it."""

import httpx
import pytest

from tests.sandbox.identity.provider import CALLBACK, Portal, RunningProvider, parse_response, refusal
from tests.support.login import Form
from tests.support.polling import PATIENCE

REFRESH = {"grant_type": "refresh_token", "client_id": "portal-cidadao"}


def test_the_client_logs_the_person_out_and_gets_them_back(portal: Portal, provider: RunningProvider) -> None:
    tokens = portal.tokens()
    asked = {"id_token_hint": tokens["id_token"], "post_logout_redirect_uri": CALLBACK, "state": "s"}
    answer = portal.browser.get(provider.metadata["end_session_endpoint"], params=asked)
    assert answer.headers["location"] == f"{CALLBACK}?state=s"
    assert "balcao_session" not in portal.browser.cookies
    assert portal.page().status_code == 200
    refused = provider.token(REFRESH | {"refresh_token": tokens["refresh_token"]})
    assert refusal(refused) == (400, "invalid-grant")


def test_without_an_id_token_the_person_is_asked_first(portal: Portal, provider: RunningProvider) -> None:
    tokens = portal.tokens()
    page = portal.browser.get(provider.metadata["end_session_endpoint"])
    assert "Deseja sair?" in page.text
    assert portal.page().status_code == 302
    assert "Você saiu" in portal.send(page).text
    assert portal.page().status_code == 200
    refused = provider.token(REFRESH | {"refresh_token": tokens["refresh_token"]})
    assert refusal(refused) == (400, "invalid-grant")


def test_the_asked_person_gets_back_to_the_client_too(portal: Portal, provider: RunningProvider) -> None:
    portal.log_in()
    asked = {"client_id": "portal-cidadao", "post_logout_redirect_uri": CALLBACK}
    page = portal.browser.get(provider.metadata["end_session_endpoint"], params=asked)
    assert portal.send(page).headers["location"] == CALLBACK


def test_another_site_cannot_log_a_person_out(portal: Portal, provider: RunningProvider) -> None:
    portal.log_in()
    answer = portal.browser.post(provider.metadata["end_session_endpoint"], data={"csrf": "x" * 43})
    assert "Deseja sair?" in answer.text
    assert portal.page().status_code == 302


@pytest.mark.parametrize(
    "change",
    [
        {"post_logout_redirect_uri": "https://mal.example/"},
        {"id_token_hint": "x.y.z"},
        {"client_id": "portal-servidor"},
    ],
)
def test_a_twisted_logout_is_refused_and_ends_nothing(
    portal: Portal, provider: RunningProvider, change: dict[str, str]
) -> None:
    hint = portal.tokens()["id_token"]
    asked = {"id_token_hint": hint, "post_logout_redirect_uri": CALLBACK} | change
    answer = portal.browser.get(provider.metadata["end_session_endpoint"], params=asked)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")
    assert "location" not in answer.headers
    assert portal.page().status_code == 302


def test_an_address_without_client_is_refused(portal: Portal, provider: RunningProvider) -> None:
    asked = {"post_logout_redirect_uri": CALLBACK}
    answer = portal.browser.get(provider.metadata["end_session_endpoint"], params=asked)
    assert (answer.status_code, answer.headers["Error-Code"]) == (400, "invalid-request")


def test_a_client_ends_the_session_behind_the_browser(portal: Portal, provider: RunningProvider) -> None:
    refresh = portal.tokens()["refresh_token"]
    form = {"client_id": "portal-cidadao", "refresh_token": refresh}
    answer = httpx.post(provider.metadata["end_session_endpoint"], data=form, timeout=PATIENCE)
    assert (answer.status_code, answer.content) == (204, b"")
    assert refusal(provider.token(REFRESH | {"refresh_token": refresh})) == (400, "invalid-grant")
    assert portal.page().status_code == 200


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        ({"client_id": "portal-servidor"}, 400, "invalid-grant"),
        ({"client_id": "ninguem"}, 401, "invalid-client"),
        ({"client_secret": "errado"}, 401, "invalid-client"),
        ({"refresh_token": "inventado"}, 400, "invalid-grant"),
    ],
)
def test_nobody_else_ends_it_behind_the_browser(
    portal: Portal, provider: RunningProvider, change: dict[str, str], status: int, code: str
) -> None:
    form = {"client_id": "portal-cidadao", "refresh_token": portal.tokens()["refresh_token"]} | change
    answer = httpx.post(provider.metadata["end_session_endpoint"], data=form, timeout=PATIENCE)
    assert refusal(answer) == (status, code)
    assert "code" in parse_response(portal.page().headers["location"])


def test_the_logout_page_keeps_only_what_it_needs(portal: Portal, provider: RunningProvider) -> None:
    asked = {"client_id": "portal-cidadao", "post_logout_redirect_uri": CALLBACK, "x": "<b>", "state": '"><b>'}
    page = portal.browser.get(provider.metadata["end_session_endpoint"], params=asked)
    assert "<b>" not in page.text
    assert set(Form(page.text).values) == {"client_id", "post_logout_redirect_uri", "state", "csrf"}
