"""Login and logout of the panel over HTTP, on a running platform."""

import hashlib
from collections.abc import Callable
from urllib.parse import parse_qs, urljoin, urlsplit

import pytest

from balcao_sandbox.identity.demo import people_by_login
from tests.support.panel import PageContent, PanelClient
from tests.support.sandbox import Sandbox

PAINEL = "/painel"


def cookie_of(panel: PanelClient) -> str:
    return panel.http.cookies[name_of(panel)]


def name_of(panel: PanelClient) -> str:
    return f"painel-{urlsplit(panel.url).port}"


def test_who_is_not_logged_in_is_led_to_the_provider_with_pkce_and_back_to_the_page_they_wanted(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    wanted = "/painel/operacao/tarefas?tipo=crm_push"
    first = panel.http.get(wanted)
    assert first.status_code == 303
    begun = panel.http.get(first.headers["location"])
    asked = parse_qs(urlsplit(begun.headers["location"]).query)
    assert asked["code_challenge_method"] == ["S256"]
    assert asked["client_id"] == ["painel"]
    assert {"state", "nonce", "code_challenge"} <= asked.keys()
    answer = panel.login("kleber", wanted)
    assert answer.url.path == "/painel/operacao/tarefas"
    assert answer.url.params["tipo"] == "crm_push"
    assert panel.page.heading == "Tarefas paradas"


def test_no_token_no_cpf_and_no_role_is_in_cookie_page_or_address(panel: PanelClient, sandbox: Sandbox) -> None:
    answer = panel.login("kleber")
    seen = answer.text + str(answer.url) + "".join(cookie.value or "" for cookie in panel.http.cookies.jar)
    assert "eyJ" not in seen
    assert "90000040126" not in seen
    cookies = [cookie for cookie in panel.http.cookies.jar if cookie.name.startswith("painel")]
    assert [cookie.name for cookie in cookies] == [f"painel-{sandbox.settings.port}"]
    assert all(cookie.has_nonstandard_attr("HttpOnly") for cookie in cookies)


def test_the_database_has_neither_the_cookie_nor_a_token_nor_a_name(
    panel: PanelClient, sql: Callable[..., list[dict[str, object]]]
) -> None:
    panel.login("kleber")
    cookie = cookie_of(panel)
    (row,) = sql("SELECT * FROM panel.session WHERE key = $1", hashlib.sha256(cookie.encode()).digest())
    stored = b"".join(value for value in row.values() if isinstance(value, bytes))
    assert cookie.encode() not in stored
    assert b"eyJ" not in stored
    assert b"Kleber" not in stored


def test_a_login_begins_a_session_under_a_new_name_and_ends_the_one_that_was_there(panel: PanelClient) -> None:
    panel.login("kleber")
    first = cookie_of(panel)
    panel.http.get("/painel/entrar", follow_redirects=True)  # no form, because the provider's session still exists
    second = cookie_of(panel)
    assert first != second
    panel.http.cookies.set(name_of(panel), first)
    assert panel.http.get(PAINEL).status_code == 303


def test_an_answer_that_belongs_to_another_login_begins_no_session(panel: PanelClient, sandbox: Sandbox) -> None:
    with PanelClient(sandbox.url) as other:
        begun = other.http.get("/painel/entrar")
        state = parse_qs(urlsplit(begun.headers["location"]).query)["state"][0]
    panel.http.get("/painel/entrar")
    answer = panel.get(f"/painel/retorno?code=whatever&state={state}")
    assert answer.status_code == 400
    assert panel.page.heading == "Não foi possível entrar"
    assert panel.http.get(PAINEL).status_code == 303


def test_an_answer_is_worth_nothing_the_second_time(panel: PanelClient, sandbox: Sandbox) -> None:
    back: list[str] = []
    panel.http.event_hooks["response"] = [
        lambda response: back.append(str(response.url)) if "/painel/retorno" in str(response.url) else None
    ]
    panel.login("kleber")
    with PanelClient(sandbox.url) as thief:
        assert thief.http.get(back[0]).status_code == 400
        assert thief.http.get(PAINEL).status_code == 303


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://mal.example/",
        "/painel/../docs",
        "/painel/%252e%252e/docs",
        "//mal.example/painel",
        "/\\mal.example",
        "/docs",
        "/painel//mal.example",
        "javascript:1",
    ],
)
def test_a_login_leads_to_no_address_but_the_panels(panel: PanelClient, elsewhere: str) -> None:
    begun = panel.http.get("/painel/entrar", params={"para": elsewhere}, follow_redirects=True)
    assert begun.status_code == 200  # this is the provider's page
    answer = panel.login("kleber", f"/painel/entrar?para={elsewhere}")
    assert answer.url.path == PAINEL


def test_who_leaves_is_out_here_and_at_the_provider_and_no_token_is_in_an_address(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    panel.login("kleber")
    cookie, name = cookie_of(panel), name_of(panel)
    answer = panel.submit(PAINEL, action="/painel/sair")
    assert answer.url.path == "/painel/saiu"
    assert panel.page.heading == "Você saiu"
    panel.http.cookies.set(name, cookie)
    assert panel.http.get(PAINEL).status_code == 303
    again = panel.http.get("/painel/entrar", follow_redirects=True)
    assert "Senha" in again.text


def test_leaving_is_no_link_and_takes_the_secret_of_the_session(panel: PanelClient) -> None:
    panel.login("kleber")
    assert panel.http.get("/painel/sair").status_code == 405
    assert panel.post("/painel/sair", {"_csrf": "x"}).status_code == 403
    assert panel.get(PAINEL).status_code == 200


def test_a_session_that_ended_at_the_provider_is_over_at_the_next_click(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("kleber")
    ended = panel.http.get(f"{sandbox.settings.issuers[0]}/protocol/openid-connect/logout")
    (form,) = PageContent(ended.text).forms
    panel.http.post(form.action, data=form.values)
    assert panel.http.get(PAINEL).status_code == 303


def test_a_session_ends_after_half_an_hour_without_use_and_after_ten_hours(
    panel: PanelClient, sql: Callable[..., object]
) -> None:
    panel.login("kleber")
    sql("UPDATE panel.session SET used_at = now() - interval '31 minutes'")
    assert panel.http.get(PAINEL).status_code == 303
    panel.login("kleber")
    sql("UPDATE panel.session SET begun_at = now() - interval '10 hours 1 minute'")
    assert panel.http.get(PAINEL).status_code == 303


def test_somebody_on_localhost_is_led_to_the_address_that_the_login_comes_back_to(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    answer = panel.http.get("/painel/conta?a=1", headers={"Host": f"localhost:{sandbox.settings.port}"})
    assert (answer.status_code, answer.headers["location"]) == (307, f"{sandbox.url}/painel/conta?a=1")


def test_more_cookies_than_browsers_keep_are_refused_in_words(panel: PanelClient, sandbox: Sandbox) -> None:
    for path in ("/painel", "/painel/nada", f"{urlsplit(sandbox.settings.issuers[0]).path}/clients"):
        answer = panel.http.get(path, headers={"Cookie": "a=" + "b" * 20_000})
        assert answer.status_code == 431, path
        assert "Os cookies deste endereço são grandes demais" in answer.text


def begin_in_a_tab(panel: PanelClient, path: str) -> tuple[str, dict[str, str]]:
    """Start a login. Return the address of the provider's form and its filled-in values, as in a browser tab."""
    shown = panel.http.get(path, follow_redirects=True)
    (form,) = PageContent(shown.text).forms[:1]
    filled = form.values | {"username": "kleber", "password": people_by_login()["kleber"].password}
    return urljoin(str(shown.url), form.action), filled


def test_two_tabs_log_in_and_the_forms_of_both_are_accepted(panel: PanelClient) -> None:
    first, second = begin_in_a_tab(panel, "/painel/conta"), begin_in_a_tab(panel, "/painel/operacao/crm")
    opened = panel.remember(panel.http.post(first[0], data=first[1], follow_redirects=True))
    assert opened.url.path == "/painel/conta"
    secret = panel.read_secret()
    opened = panel.remember(panel.http.post(second[0], data=second[1], follow_redirects=True))
    assert opened.url.path == "/painel/operacao/crm"
    assert panel.post("/painel/ir", {"_csrf": secret, "q": "limites"}).status_code == 200


def test_logins_that_are_begun_and_left_do_not_fill_the_cookies(panel: PanelClient) -> None:
    for _ in range(12):
        panel.http.get("/painel/entrar")
    assert len([name for name in panel.http.cookies if name.startswith("painel-entrada")]) == 4
    assert panel.login("kleber").url.path == PAINEL
