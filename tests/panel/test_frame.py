"""The panel's frame in a real browser: login, "Ir para", keyboard, narrow screens, drafts and printing."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from balcao.panel.areas import AREAS
from tests.support.panel_browser import Screen

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


def test_a_cpf_leads_to_the_attendance_and_never_into_an_address(screen: Screen) -> None:
    addresses: list[str] = []
    screen.page.on("request", lambda request: addresses.append(request.url))
    screen.login("luiz")
    screen.page.get_by_role("searchbox").fill("900.000.003-37")
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Atendimento")
    expect(screen.page.get_by_label("CPF", exact=True)).to_have_value("900.000.003-37")
    expect(screen.page.get_by_role("alert")).to_have_count(0)
    screen.page.get_by_label("Motivo do acesso").select_option("Andamento de um chamado")
    screen.page.get_by_role("button", name="Começar o atendimento").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Carla Nogueira")
    assert [one for one in addresses if "900.000.003" in one or "90000000337" in one] == []
    assert screen.complaints == []


@pytest.mark.parametrize("number", ["90000000337", "900.000.003-38", "(21) 98888-7766"])
def test_a_number_of_a_person_is_put_into_no_address_either_without_the_right_or_mistyped(
    screen: Screen, number: str
) -> None:
    screen.login("editora")
    screen.page.get_by_role("searchbox").fill(number)
    screen.page.keyboard.press("Enter")
    expect(screen.page.get_by_role("main")).to_contain_text("não põe o número de uma pessoa no endereço")
    assert number not in screen.page.url
    assert "900" not in screen.page.url.partition("/painel")[2]  # the port may contain these digits
    screen.open(f"/painel/ir?q={number}")
    assert "q=" not in screen.page.url


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
    expect(screen.page.get_by_role("alert")).to_contain_text("Um campo precisa de correção")


@pytest.mark.long
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


def test_a_printed_page_says_of_which_city_when_and_by_whom(screen: Screen) -> None:
    screen.login("kleber", "/painel/conta")
    line = screen.page.locator(".print")
    assert not line.is_visible()
    screen.page.emulate_media(media="print")
    assert line.is_visible()
    text = line.inner_text()
    assert "Prefeitura de Porto Aurora" in text
    assert "Kleber Assis" in text
    assert line.locator("time").count() == 1
