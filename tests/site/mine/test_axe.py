"""Axe finds no violation on the pages of Minha página, and no page is wider than its screen."""

from collections.abc import Callable

import pytest

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.test_my_pages import PLAIN
from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


LOOKS = [(1280, "light"), (360, "dark")]


def log_in(screen: Screen, username: str) -> None:
    screen.page.goto(PREFIX)
    screen.page.get_by_label("CPF ou usuário").fill(username)
    screen.page.get_by_label("Senha").fill(people_by_login()[username].password)
    screen.page.get_by_role("button", name="Entrar").click()
    screen.page.wait_for_url(f"**{PREFIX}")


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_every_page_of_a_citizen(screen_of: Callable[..., Screen], width: int, scheme: str) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, "ana")
    for path in [page.path for page in PLAIN] + ["/curriculo/experiencias/incluir", "/curriculo/formacoes/incluir"]:
        screen.open(PREFIX + path)
        screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert screen.axe() == [], path
        assert screen.wider_than_the_screen() == [], path


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
@pytest.mark.parametrize(
    ("username", "path", "links"),
    [
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Bruno Tavares"]),
        ("ana", "/veiculos", ["Bicicleta do trabalho", "Autorizar alguém a conduzir"]),
        ("bruno", "/veiculos", ["Bicicleta do trabalho", "Deixar de conduzir"]),
        ("fabio", "/veiculos", ["Responder ao convite"]),
        ("carla", "/pedidos", ["Responder"]),
    ],
)
def test_the_pages_to_which_these_links_lead(
    screen_of: Callable[..., Screen], width: int, scheme: str, username: str, path: str, links: list[str]
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    log_in(screen, username)
    screen.open(PREFIX + path)
    for name in links:
        link = screen.page.get_by_role("main").get_by_role("link", name=name).first
        screen.open(str(link.get_attribute("href")))
        assert screen.axe() == [], screen.page.url
        assert screen.wider_than_the_screen() == [], screen.page.url
