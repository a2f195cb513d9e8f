"""The embedded identity provider's pages in a real browser."""

from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, expect

from balcao.core.http.requests import Request
from balcao.core.http.responses import TEXT, Response
from balcao.settings import Settings
from tests.pages.window import DESKTOP, PHONE, Window
from tests.sandbox.identity.provider import RunningProvider, parse_response, person
from tests.support.demo_people import ANA
from tests.support.login import challenge_of
from tests.support.panel_browser import opened_screen
from tests.support.proof_sizes import choose_looks
from tests.support.server import RunningServer, free_port
from tests.support.single_services import handlers

pytestmark = pytest.mark.page

VERIFIER = "verificador-de-um-portal-que-so-existe-nos-testes"
PUNCTUATED = "900.000.001-75"
PASSWORD = person(ANA).password
WRONG = "CPF ou senha incorretos."


def back(_: Request) -> Response[str]:
    return Response(b"De volta ao portal", media_type=TEXT)


@pytest.fixture(scope="module")
def provider(tmp_path_factory: pytest.TempPathFactory, database_url: str) -> Iterator[RunningProvider]:
    settings = Settings(port=free_port(), data_dir=tmp_path_factory.mktemp("identity"))
    with RunningProvider(settings, database_url) as running:
        yield running


@pytest.fixture(scope="module")
def callback() -> Iterator[str]:
    """Yield the address to which the login redirects the person, as a portal's address."""
    with RunningServer(handlers({("GET", "/callback"): back})) as portal:
        yield f"{portal.url}/callback"


@pytest.fixture(scope="module")
def address(provider: RunningProvider, callback: str) -> str:
    return provider.url


def login_url(provider: RunningProvider, callback: str, **changes: str) -> str:
    asked = {
        "client_id": "portal-cidadao",
        "redirect_uri": callback,
        "response_type": "code",
        "scope": "openid profile",
        "state": "a b&ç",
        "code_challenge": challenge_of(VERIFIER),
        "code_challenge_method": "S256",
    }
    return f"{provider.metadata['authorization_endpoint']}?{urlencode(asked | changes)}"


def fill_in(window: Window, username: str, password: str) -> None:
    window.page.get_by_label("CPF ou usuário").fill(username)
    window.page.get_by_label("Senha").fill(password)


def enter(window: Window, username: str = PUNCTUATED, password: str = PASSWORD) -> None:
    fill_in(window, username, password)
    window.page.get_by_role("button", name="Entrar").click()


def test_a_person_enters_with_a_punctuated_cpf_and_the_portal_gets_a_code_that_is_worth_tokens(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    window.page.goto(login_url(provider, callback))
    enter(window)
    expect(window.page.get_by_text("De volta ao portal")).to_be_visible()
    assert window.page.url.startswith(f"{callback}?")
    answer = parse_response(window.page.url)
    assert (answer["state"], answer["iss"]) == ("a b&ç", provider.issuer)
    grant = {"grant_type": "authorization_code", "client_id": "portal-cidadao", "redirect_uri": callback}
    tokens = provider.token(grant | {"code": answer["code"], "code_verifier": VERIFIER}).raise_for_status().json()
    assert provider.claims(tokens["access_token"])["cpf"] == ANA


def test_who_has_entered_once_comes_back_without_the_page(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    window.page.goto(login_url(provider, callback))
    enter(window)
    window.page.wait_for_url(f"{callback}?*")
    window.page.goto(login_url(provider, callback, state="outra vez"))
    assert parse_response(window.page.url)["state"] == "outra vez"


@pytest.mark.parametrize(("username", "password"), [(PUNCTUATED, "errada"), ("900.000.001-76", PASSWORD)])
def test_a_wrong_password_and_an_unknown_cpf_are_told_alike_and_the_person_tries_again(
    window: Window, provider: RunningProvider, callback: str, username: str, password: str
) -> None:
    window.page.goto(login_url(provider, callback))
    enter(window, username, password)
    expect(window.page.get_by_role("alert")).to_have_text(WRONG)
    expect(window.page.get_by_label("CPF ou usuário")).to_have_value(username)
    expect(window.page.get_by_label("Senha")).to_have_value("")
    enter(window)
    window.page.wait_for_url(f"{callback}?*")


def test_the_keyboard_alone_is_enough(window: Window, provider: RunningProvider, callback: str) -> None:
    keyboard = window.page.keyboard
    window.page.goto(login_url(provider, callback))
    expect(window.focused).to_have_attribute("name", "username")
    keyboard.type(PUNCTUATED)
    keyboard.press("Tab")
    keyboard.type("errada")
    keyboard.press("Enter")
    expect(window.page.get_by_role("alert")).to_have_text(WRONG)
    expect(window.focused).to_have_attribute("name", "username")
    keyboard.press("Tab")
    keyboard.type(PASSWORD)
    keyboard.press("Tab")
    expect(window.focused).to_have_text("Entrar")
    keyboard.press("Space")
    window.page.wait_for_url(f"{callback}?*")


def test_the_keyboard_opens_the_list_of_demo_people(window: Window, provider: RunningProvider, callback: str) -> None:
    window.page.goto(login_url(provider, callback))
    page = window.page
    for focused in (page.get_by_label("CPF ou usuário"), page.get_by_label("Senha"), page.get_by_role("button")):
        expect(focused).to_be_focused()
        page.keyboard.press("Tab")
    expect(page.locator("summary")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("cell", name=ANA)).to_be_visible()


def test_nothing_is_asked_of_anybody_else_and_nothing_is_complained_of(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    window.page.goto(login_url(provider, callback))
    enter(window)
    window.page.wait_for_url(f"{callback}?*")
    window.page.goto(provider.metadata["end_session_endpoint"])
    window.page.get_by_role("button", name="Sair").click()
    expect(window.page.get_by_role("heading", name="Você saiu")).to_be_visible()
    assert window.strangers == []
    assert window.complaints == []


def test_on_a_phone_every_page_fits_with_all_it_can_show(
    window_of: Callable[[int], Window], provider: RunningProvider, callback: str
) -> None:
    window = window_of(PHONE)
    window.page.goto(login_url(provider, callback))
    assert window.wider_than_the_screen() == []
    enter(window, "9" * 100, "errada")
    window.page.get_by_text("Pessoas de demonstração").click()
    expect(window.page.get_by_role("cell", name=PASSWORD)).to_be_visible()
    assert window.wider_than_the_screen() == []
    window.page.goto(provider.metadata["end_session_endpoint"])
    assert window.wider_than_the_screen() == []
    window.page.goto(login_url(provider, callback, client_id="ninguem"))
    assert window.wider_than_the_screen() == []


@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), choose_looks(DESKTOP, PHONE))
def test_axe_finds_nothing_on_any_page(
    browser: Browser, provider: RunningProvider, callback: str, width: int, scheme: str
) -> None:
    site = provider.settings
    with opened_screen(browser, provider.url, width, color_scheme=scheme) as screen:
        screen.open(login_url(provider, f"{site.site_address}/minha-pagina/retorno", client_id=site.site_client_id))
        screen.page.get_by_text("Pessoas de demonstração").click()
        assert screen.axe() == []
        screen.open(login_url(provider, callback))
        enter(screen, password="errada")
        expect(screen.page.get_by_role("alert")).to_be_visible()
        assert screen.axe() == []
        enter(screen)
        screen.page.wait_for_url(f"{callback}?*")
        screen.open(provider.metadata["end_session_endpoint"])
        assert screen.axe() == []
        screen.page.get_by_role("button", name="Sair").click()
        expect(screen.page.get_by_role("heading", name="Você saiu")).to_be_visible()
        assert screen.axe() == []
        screen.open(login_url(provider, callback, client_id="ninguem"))
        assert screen.axe() == []


def test_the_page_of_the_site_names_the_city_and_leads_back_and_the_page_of_a_portal_does_not(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    site = provider.settings
    back_to_site = window.page.get_by_role("link", name="Voltar ao site sem entrar")
    window.page.goto(login_url(provider, f"{site.site_address}/minha-pagina/retorno", client_id=site.site_client_id))
    expect(window.page.get_by_role("heading", level=1)).to_have_text("Entrar no site da Prefeitura de Porto Aurora")
    expect(back_to_site).to_have_attribute("href", f"{site.site_address}/")
    enter(window, password="errada")
    expect(window.page.get_by_role("alert")).to_have_text(WRONG)
    expect(back_to_site).to_be_visible()
    window.page.goto(login_url(provider, callback))
    expect(window.page.get_by_role("heading", level=1)).to_have_text("Entrar no Balcão")
    expect(back_to_site).to_have_count(0)


def test_a_person_leaves_and_the_next_login_asks_again(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    window.page.goto(login_url(provider, callback))
    enter(window)
    window.page.wait_for_url(f"{callback}?*")
    window.page.goto(provider.metadata["end_session_endpoint"])
    expect(window.focused).to_have_text("Sair")
    window.page.keyboard.press("Enter")
    expect(window.page.get_by_role("heading", name="Você saiu")).to_be_visible()
    window.page.goto(login_url(provider, callback))
    expect(window.page.get_by_label("Senha")).to_be_visible()


def test_a_person_who_leaves_gets_back_to_the_portal(window: Window, provider: RunningProvider, callback: str) -> None:
    asked = {"client_id": "portal-cidadao", "post_logout_redirect_uri": callback, "state": "fim"}
    window.page.goto(f"{provider.metadata['end_session_endpoint']}?{urlencode(asked)}")
    window.page.get_by_role("button", name="Sair").click()
    window.page.wait_for_url(f"{callback}?state=fim")


def test_an_unknown_portal_is_told_to_the_person_and_never_followed(
    window: Window, provider: RunningProvider, callback: str
) -> None:
    window.page.goto(login_url(provider, callback, client_id="ninguem"))
    expect(window.page.get_by_role("heading", name="Não foi possível continuar")).to_be_visible()
    expect(window.page.get_by_text("O aplicativo que pediu o login não é conhecido.")).to_be_visible()
    assert not any(url.startswith(callback) for url in window.asked)
