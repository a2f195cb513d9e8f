"""Axe finds no violation on an agent's pages, including the page about a concurrent change."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

EDIT = "/painel/agentes/atendimento_demo/editar"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_where_two_have_changed_the_text_of_an_agent(
    screen_of: Callable[..., Screen], panel: PanelClient, width: int, scheme: str
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    screen.login("tereza", EDIT)
    screen.page.get_by_label("Instruções").fill(f"O texto de uma, a {width} pixels.")
    screen.page.get_by_label("Por que muda").fill("de uma")
    panel.login("kleber")
    theirs = {"prompt": f"O texto da outra, a {width} pixels.", "reason": "da outra", "activate": "y"}
    panel.submit(EDIT, **theirs, fazer="salvar")
    screen.page.get_by_role("button", name="Gravar a versão").click()
    expect(screen.page.get_by_text("Outra pessoa gravou antes de você.")).to_be_visible()
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []
