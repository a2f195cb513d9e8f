"""The frame of the panel in a real browser: every page of the navigation, for everybody."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from balcao.console.areas import AREAS
from tests.support.screen import Screen

pytestmark = pytest.mark.page

IN_MENU = [page.address() for area in AREAS for page in area.pages.declared if page.in_menu]
OTHERS = ["/painel/conta", "/painel/rascunhos", "/painel/ir?q=nada", "/painel/nada"]


def test_a_person_logs_in_goes_to_a_page_by_its_name_and_leaves(screen: Screen) -> None:
    screen.login("kleber")
    screen.page.get_by_role("searchbox").fill("tarefas paradas")
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Tarefas paradas")
    screen.page.locator(".me summary").click()
    screen.page.get_by_role("button", name="Sair").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Você saiu")
    assert screen.strangers == []
    assert screen.complaints == []


def test_who_has_nothing_to_do_is_led_to_the_pages_of_their_work(screen: Screen) -> None:
    screen.login("editora")
    screen.page.get_by_role("main").get_by_role("link", name="Serviços", exact=True).click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Serviços")


def test_the_first_stop_of_the_keyboard_leads_past_the_frame(screen: Screen) -> None:
    screen.login("kleber")
    screen.page.keyboard.press("Tab")
    expect(screen.focused).to_have_text("Ir para o conteúdo")
    screen.page.keyboard.press("Enter")
    expect(screen.focused).to_have_attribute("id", "conteudo")


@pytest.mark.long
@pytest.mark.parametrize("width", [360, 320])
def test_no_page_is_wider_than_a_phone(screen_of: Callable[..., Screen], width: int) -> None:
    screen = screen_of(width)
    screen.login("kleber")
    for address in IN_MENU + OTHERS:
        screen.open(address)
        assert screen.wider_than_the_screen() == [], address


def test_a_refused_form_takes_the_focus_to_what_is_wrong(screen: Screen) -> None:
    screen.login("kleber", "/painel/operacao/crm")
    screen.page.get_by_role("button", name="Começar a releitura").click()
    summary = screen.page.get_by_role("alert")
    expect(summary).to_be_focused()
    summary.get_by_role("link").click()
    expect(screen.page.get_by_label("Quem mudou no CRM desde")).to_be_focused()


def test_everything_works_without_a_script(screen_of: Callable[..., Screen]) -> None:
    screen = screen_of(java_script_enabled=False)
    screen.login("kleber")
    screen.page.get_by_role("navigation", name="Áreas").get_by_role("link", name="CRM").click()
    screen.page.get_by_role("button", name="Começar a releitura").click()
    expect(screen.page.get_by_role("alert")).to_contain_text("Um campo precisa de você")


def test_what_is_typed_is_kept_while_it_is_typed_and_the_form_is_sent_as_before(screen: Screen) -> None:
    screen.login("kleber")
    screen.open("/painel/servicos/novo")
    screen.page.get_by_label("Resumo").fill("O que eu escrevia.")
    expect(screen.page.locator("#guardado")).to_contain_text("Guardado às")
    screen.open("/painel/servicos/novo")
    screen.page.get_by_role("link", name="Continuar de onde parei").click()
    expect(screen.page.get_by_label("Resumo")).to_have_value("O que eu escrevia.")
    assert screen.complaints == []
    screen.page.get_by_role("button", name="Gravar", exact=True).click()
    expect(screen.page.get_by_text("Nada foi gravado")).to_be_visible()
