"""Axe finds no violation on the pages of a job and its candidates."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from balcao.employability.hiring.paths import sandbox_job_id
from balcao.employability.selection.paths import sandbox_application_id
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = choose_looks(1280, 360)
KITCHEN = f"/painel/vagas/{sandbox_job_id('V9')}"


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_and_no_page_is_too_wide(screen_of: Callable[..., Screen], width: int, scheme: str) -> None:
    screen = screen_of(width, color_scheme=scheme)
    screen.login("gilda")
    for address in (
        KITCHEN,
        f"{KITCHEN}/editar",
        f"{KITCHEN}/candidaturas",
        f"{KITCHEN}/mudar/congelar",
        f"{KITCHEN}/excluir",
        f"/painel/candidaturas/{sandbox_application_id('3-V9')}",
        "/painel/vagas/nova",
        "/painel/vagas?busca=nada+disso",
        "/painel/empresas/nova?cnpj=90.000.007/0001-04",
        "/painel/empresas/90000001000129",
        "/painel/vagas/listas/escolaridades",
        "/painel/vagas/antigas/nova",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_where_two_have_changed_one_field_of_a_job(
    screen_of: Callable[..., Screen], panel: PanelClient, width: int, scheme: str
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    screen.login("gilda", f"{KITCHEN}/editar")
    screen.page.get_by_label("Descrição").fill(f"O texto de uma: {width}, {scheme}.")
    panel.login("helio")
    panel.submit(f"{KITCHEN}/editar", descricao=f"O texto da outra: {width}, {scheme}.")
    screen.page.get_by_role("button", name="Gravar", exact=True).last.click()
    expect(screen.page.get_by_text("Outra pessoa gravou aqui:")).to_be_visible()
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []
