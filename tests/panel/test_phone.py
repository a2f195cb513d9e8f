"""Differences between phone and desktop: the tabs of a list, missing values, plots and long breadcrumbs."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.long]

PHONE, DESK = 360, 1280
JOBS, REVOKE = "/painel/vagas", "/painel/acessos/papeis/acessos%3Agrupos/acoes/group%3Amanage_members/tirar"


def test_the_states_of_a_list_are_tabs_at_a_desk_and_a_choice_among_the_filters_of_a_phone(
    screen_of: Callable[..., Screen],
) -> None:
    phone, desk = screen_of(PHONE), screen_of(DESK)
    phone.login("kleber", JOBS)
    expect(phone.page.get_by_role("navigation", name="Situação")).to_be_hidden()
    phone.unfold_filters()
    phone.page.get_by_role("combobox", name="Situação").select_option(label="Congelada (1)")
    phone.page.get_by_role("button", name="Filtrar").click()
    expect(phone.page.locator("tbody tr")).to_have_count(1)
    expect(phone.page.get_by_role("link", name="Situação: Congelada")).to_be_visible()
    phone.unfold_filters()
    expect(phone.page.get_by_role("combobox", name="Situação").locator("option:checked")).to_have_text("Congelada (1)")
    desk.login("kleber", JOBS)
    expect(desk.page.get_by_role("combobox", name="Situação")).to_be_hidden()
    desk.page.get_by_role("navigation", name="Situação").get_by_role("link", name="Congelada").click()
    desk.page.get_by_label("Título").fill("pedreiro")
    desk.page.get_by_role("button", name="Filtrar").click()
    expect(desk.page.locator(".tabs [aria-current]")).to_contain_text("Congelada")
    expect(desk.page.get_by_role("link", name="Situação: Congelada")).to_be_hidden()
    expect(desk.page.locator("tbody tr")).to_have_count(1)


def test_many_fields_above_a_list_are_folded_on_a_phone_and_say_what_is_set(
    screen_of: Callable[..., Screen],
) -> None:
    phone, desk = screen_of(PHONE, java_script_enabled=False), screen_of(DESK)
    phone.login("kleber", JOBS)
    field, fold = phone.page.get_by_label("Título"), phone.page.locator(".fold summary")
    expect(field).to_be_hidden()
    fold.press("Enter")
    field.fill("pedreiro")
    field.press("Enter")
    expect(fold).to_have_text("Filtros (1): Título: pedreiro")
    expect(field).to_be_hidden()
    expect(phone.page.locator("tbody tr").first).to_be_in_viewport(ratio=1)
    phone.open(f"{JOBS}?busca=nada-tem-este-nome")
    expect(field).to_have_value("nada-tem-este-nome")
    expect(field).to_be_visible()
    desk.login("kleber", JOBS)
    expect(desk.page.get_by_label("Título")).to_be_visible()
    expect(desk.page.locator(".fold summary")).to_be_hidden()


def test_a_field_or_two_above_a_list_are_not_folded(screen_of: Callable[..., Screen]) -> None:
    phone = screen_of(PHONE)
    phone.login("kleber", "/painel/empresas")
    expect(phone.page.get_by_label("Nome ou CNPJ")).to_be_visible()
    expect(phone.page.locator(".fold")).to_have_count(0)


def test_a_line_without_a_value_is_left_out_where_each_row_is_a_block(screen_of: Callable[..., Screen]) -> None:
    for width in (PHONE, DESK):
        screen = screen_of(width)
        screen.login("kleber", "/painel/meus-dados")
        without = screen.page.locator("td").filter(has_text=re.compile(r"^\s*–\s*$"), visible=True)
        assert (without.count() > 0) is (width == DESK)


def test_a_plot_that_is_wider_than_the_phone_shows_its_end_first(screen_of: Callable[..., Screen]) -> None:
    screen = screen_of(PHONE)
    screen.login("kleber", "/painel/saude/contagens")
    expect(screen.page.locator(".plot .value").last).to_be_in_viewport()
    expect(screen.page.locator(".plot .value").first).not_to_be_in_viewport()
    expect(screen.page.locator(".plot .scale text").last).to_be_in_viewport(ratio=1)
    screen.page.get_by_role("region", name="Gráfico").evaluate("one => one.scrollBy(-1000, 0)")
    expect(screen.page.locator(".plot .value").first).to_be_in_viewport()


def test_a_step_of_the_way_that_is_longer_than_the_line_begins_beside_its_mark(
    screen_of: Callable[..., Screen],
) -> None:
    screen = screen_of(PHONE)
    screen.login("kleber", REVOKE)
    last = screen.page.locator(".crumb [aria-current]")
    lines = last.evaluate("one => [...one.getClientRects()].map(line => line.top)")
    assert len(lines) > 1
    assert lines[0] - last.locator("..").evaluate("one => one.getBoundingClientRect().top") < 10


def test_boxes_keep_their_size_beside_a_text_that_is_longer_than_the_line(screen_of: Callable[..., Screen]) -> None:
    screen = screen_of(PHONE)
    screen.login("carla", "/painel/meus-dados/mensagens")
    boxes = screen.page.get_by_role("checkbox")
    expect(boxes.first).to_be_visible()
    assert set(boxes.evaluate_all("all => all.map(one => one.getBoundingClientRect().width)")) == {18}
