"""People log in on the page, and a portal gets their tokens with a third-party library."""

import base64
import hashlib

import httpx
import pytest
from joserfc import jwt

from tests.sandbox.identity.provider import CALLBACK, Portal, RunningProvider, parse_response, person, refusal
from tests.support.demo_people import ANA, DAVI, KLEBER
from tests.support.fixture_types import Sql
from tests.support.login import Form
from tests.support.polling import PATIENCE


def test_discovery_names_the_issuer_and_only_what_is_offered(provider: RunningProvider) -> None:
    found = provider.metadata
    assert found["issuer"] == provider.issuer
    assert found["token_endpoint"] == f"{provider.issuer}/protocol/openid-connect/token"
    assert found["code_challenge_methods_supported"] == ["S256"]
    assert found["response_types_supported"] == ["code"]
    assert {"openid", "profile", "sms:read", "busca:search", "rmi:telefone:read"} <= set(found["scopes_supported"])


def test_the_published_keys_are_public_rsa_keys_named_by_their_thumbprint(provider: RunningProvider) -> None:
    [key] = httpx.get(provider.metadata["jwks_uri"], timeout=PATIENCE).json()["keys"]
    assert set(key) == {"kty", "use", "alg", "kid", "n", "e"}
    assert (key["kty"], key["use"], key["alg"]) == ("RSA", "sig", "RS256")
    [imported] = provider.keys().keys
    assert key["kid"] == imported.thumbprint()


def test_a_person_logs_in_and_the_portal_gets_the_tokens_of_the_specification(portal: Portal) -> None:
    tokens = portal.tokens()
    tokens.pop("expires_at")  # the library itself adds this member
    assert set(tokens) == {
        "access_token", "expires_in", "refresh_token", "refresh_expires_in", "id_token", "token_type", "scope",
    }  # fmt: skip
    assert (tokens["expires_in"], tokens["refresh_expires_in"], tokens["token_type"]) == (600, 1800, "Bearer")
    assert tokens["scope"] == "openid profile email"


def test_an_access_token_says_who_the_person_is(portal: Portal, provider: RunningProvider) -> None:
    claims = provider.claims(portal.tokens()["access_token"])
    ana = person(ANA)
    assert claims["iss"] == provider.issuer
    assert (claims["aud"], claims["azp"]) == ("account", "portal-cidadao")
    assert claims["exp"] - claims["iat"] == 600
    assert (claims["cpf"], claims["preferred_username"], claims["name"]) == (ANA, ANA, ana.name)
    assert (claims["given_name"], claims["family_name"]) == ("Ana Beatriz", "Moreira")
    assert (claims["email"], claims["email_verified"]) == (ana.email, True)
    assert (claims["realm_access"], claims["resource_access"]) == ({"roles": []}, {})


def test_only_the_named_person_carries_a_role_in_the_token(portal: Portal, provider: RunningProvider) -> None:
    assert provider.claims(portal.tokens(KLEBER)["access_token"])["realm_access"] == {"roles": ["admin"]}


def test_the_id_token_is_for_the_client_and_bound_to_nonce_and_access_token(
    portal: Portal, provider: RunningProvider
) -> None:
    tokens = portal.tokens(nonce="n-1")
    claims = provider.claims(tokens["id_token"])
    digest = hashlib.sha256(tokens["access_token"].encode()).digest()[:16]
    assert (claims["aud"], claims["nonce"]) == ("portal-cidadao", "n-1")
    assert claims["at_hash"] == base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
    assert claims["auth_time"] <= claims["iat"]
    registry = jwt.JWTClaimsRegistry(iss={"essential": True, "value": provider.issuer}, exp={"essential": True})
    registry.validate(claims)


def test_the_subject_is_the_same_at_every_login_and_differs_between_people(provider: RunningProvider) -> None:
    def subject(cpf: str) -> str:
        with Portal(provider) as portal:
            return str(provider.claims(portal.tokens(cpf)["access_token"])["sub"])

    assert subject(ANA) == subject(ANA)
    assert subject(ANA) != subject(DAVI)


@pytest.mark.parametrize("typed", ["90000000175", "900.000.001-75", " 900 000 001 75 ", "ana", "ANA"])
def test_a_person_may_type_the_cpf_in_any_form_or_the_user_name(portal: Portal, typed: str) -> None:
    answer = portal.send(portal.page(), username=typed, password=person(ANA).password)
    assert answer.status_code == 303
    assert "code" in parse_response(answer.headers["location"])


def test_the_answer_carries_state_and_issuer_back(portal: Portal, provider: RunningProvider) -> None:
    answer = parse_response(portal.log_in(state="a b&c"))
    assert (answer["state"], answer["iss"]) == ("a b&c", provider.issuer)


def test_a_request_without_state_is_answered_without_state(portal: Portal) -> None:
    url = httpx.URL(portal.login_url())
    page = portal.browser.get(url.copy_remove_param("state"))
    answer = portal.send(page, username="ana", password="demo-ana")
    assert set(parse_response(answer.headers["location"])) == {"code", "iss"}


def test_the_login_page_is_in_portuguese_and_needs_neither_script_nor_network(portal: Portal) -> None:
    page = portal.page()
    assert page.status_code == 200
    assert '<html lang="pt-BR">' in page.text
    assert "<script" not in page.text
    assert "http://" not in page.text.replace(Form(page.text).action, "")
    assert '<label for="username">' in page.text
    assert "autofocus" in page.text
    assert person(DAVI).name in page.text
    assert page.headers["cache-control"] == "no-store"
    assert "frame-ancestors 'none'" in page.headers["content-security-policy"]
    assert "form-action 'self' http://127.0.0.1:4321" in page.headers["content-security-policy"]
    style = portal.browser.get(str(page.url.copy_with(query=None)).replace("protocol/openid-connect/auth", "login.css"))
    assert style.headers["content-type"].startswith("text/css")


@pytest.mark.parametrize(("username", "password"), [("ana", "errada"), ("ninguem", "demo-ana"), ("ana", ""), ("", "")])
def test_a_wrong_login_says_the_same_whoever_it_is(portal: Portal, username: str, password: str) -> None:
    answer = portal.send(portal.page(), username=username, password=password)
    assert answer.status_code == 400
    assert "CPF ou senha incorretos" in answer.text
    assert "balcao_session" not in portal.browser.cookies
    assert portal.send(answer, username="ana", password="demo-ana").status_code == 303


def test_what_was_typed_comes_back_escaped(portal: Portal) -> None:
    answer = portal.send(portal.page(), username='"><script>x</script>', password="x")
    assert "<script" not in answer.text
    assert "&quot;&gt;&lt;script&gt;" in answer.text


def test_a_form_that_another_site_made_the_browser_send_logs_nobody_in(portal: Portal) -> None:
    answer = portal.send(portal.page(), username="ana", password="demo-ana", csrf="x" * 43)
    assert answer.status_code == 400
    assert "balcao_session" not in portal.browser.cookies


def test_the_session_cookie_is_kept_from_scripts_and_other_sites(portal: Portal) -> None:
    answer = portal.send(portal.page(), username="ana", password="demo-ana")
    [cookie] = [c for c in answer.headers.get_list("set-cookie") if c.startswith("balcao_session=")]
    assert "HttpOnly" in cookie
    assert "samesite=lax" in cookie.lower()
    assert "path=/auth/realms/balcao" in cookie.lower()


def test_who_is_logged_in_gets_into_a_second_portal_without_the_page(portal: Portal) -> None:
    portal.log_in()
    answer = portal.page()
    assert answer.status_code == 302
    assert answer.headers["location"].startswith(CALLBACK)
    assert portal.exchange(answer.headers["location"])["token_type"] == "Bearer"


def test_a_client_may_ask_for_a_new_login_or_forbid_the_page(portal: Portal) -> None:
    assert refusal(portal.page(prompt="none")) == (303, "login-required")
    portal.log_in()
    assert portal.page(prompt="login").status_code == 200
    assert portal.page(max_age="0").status_code == 200
    assert refusal(portal.page(max_age="-1")) == (303, "invalid-request")
    assert portal.page(prompt="none").status_code == 302


def test_a_session_unused_for_too_long_asks_again(portal: Portal, sql: Sql) -> None:
    portal.log_in()
    assert portal.page().status_code == 302
    sql("UPDATE platform.identity_session SET expires_at = now()")
    assert portal.page().status_code == 200


def test_the_session_id_of_a_token_is_no_session_cookie(portal: Portal, provider: RunningProvider) -> None:
    sid = provider.claims(portal.tokens()["access_token"])["sid"]
    stranger = httpx.get(portal.login_url(), cookies={"balcao_session": sid}, timeout=PATIENCE)
    assert stranger.status_code == 200


def test_user_info_shows_what_the_scopes_allow(portal: Portal, provider: RunningProvider) -> None:
    tokens = portal.tokens()
    shown = portal.oauth.get(provider.metadata["userinfo_endpoint"]).json()
    assert shown["sub"] == provider.claims(tokens["id_token"])["sub"]
    assert (shown["cpf"], shown["email"]) == (ANA, person(ANA).email)


def test_a_refresh_gives_new_tokens_and_a_new_refresh_token(portal: Portal, provider: RunningProvider) -> None:
    first = portal.tokens()
    second = portal.oauth.refresh_token(provider.metadata["token_endpoint"], refresh_token=first["refresh_token"])
    assert second["refresh_token"] != first["refresh_token"]
    assert second["refresh_expires_in"] == 1800
    assert provider.claims(second["access_token"])["cpf"] == ANA


def test_the_answer_may_come_in_the_fragment(portal: Portal) -> None:
    address = portal.log_in(response_mode="fragment")
    assert address.startswith(f"{CALLBACK}#")
    assert "code" in parse_response(address)


def test_an_authorization_request_may_be_posted(portal: Portal) -> None:
    url = httpx.URL(portal.login_url())
    page = portal.browser.post(url.copy_with(query=None), data=dict(url.params))
    assert portal.send(page, username="ana", password="demo-ana").status_code == 303
