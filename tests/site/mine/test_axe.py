"""Axe finds no violation on the pages of Minha página, and no page is wider than its screen."""

from collections.abc import Callable

import pytest

from balcao.site.mine.declaration import PREFIX
from balcao_sandbox.identity.demo import people_by_login
from tests.site.mine.test_my_pages import PLAIN
from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_every_page_of_a_citizen(screen_of: Callable[..., Screen], width: int, scheme: str) -> None:
    screen = screen_of(width, color_scheme=scheme)
    screen.page.goto(PREFIX)
    screen.page.get_by_label("CPF ou usuário").fill("ana")
    screen.page.get_by_label("Senha").fill(people_by_login()["ana"].password)
    screen.page.get_by_role("button", name="Entrar").click()
    screen.page.wait_for_url(f"**{PREFIX}")
    for path in [page.path for page in PLAIN] + ["/curriculo/experiencias/incluir", "/curriculo/formacoes/incluir"]:
        screen.open(PREFIX + path)
        screen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
        assert screen.axe() == [], path
        assert screen.wider_than_the_screen() == [], path
