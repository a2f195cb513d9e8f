"""Visitors' feedback about the pages of services, as the panel shows it."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.panel.catalogue.conftest import Make
from tests.support.panel import PanelClient
from tests.support.panel_browser import Screen
from tests.support.sandbox import Sandbox

Rate = Callable[[dict[str, Any], bool, str | None], None]


@pytest.fixture
def rate(sandbox: Sandbox) -> Rate:
    """Return a function that gives feedback as a visitor on the page of a service."""

    def give(service: dict[str, Any], helpful: bool, comment: str | None = None) -> None:
        path = f"/search/api/v1/services/{service['slug']}/feedback"
        assert sandbox.http.post(path, json={"helpful": helpful, "comment": comment}).status_code == 204

    return give


@pytest.mark.long
def test_editors_see_counts_and_comments_and_delete_one(panel: PanelClient, make: Make, rate: Rate) -> None:
    service = make(status=1)
    for helpful, comment in (
        (False, "Não diz o <b>preço</b>."),
        (False, None),
        (True, "Achei tudo."),
        (False, "Fale com o Zé."),
    ):
        rate(service, helpful, comment)
    panel.login("editora")
    panel.get("/painel/avaliacoes")
    here = f"/painel/servicos/{service['id']}/avaliacoes"
    assert here in panel.page.links
    panel.get(f"/painel/servicos/{service['id']}")
    assert here in panel.page.links
    panel.get(here)
    assert "1 vez ajudou" in panel.page.text
    assert "3 vezes não ajudou" in panel.page.text
    assert "Não diz o <b>preço</b>." in panel.page.text
    assert "Achei tudo." not in panel.get(f"{here}?aba=nao-ajudou").text
    assert "preço" not in panel.get(f"{here}?aba=ajudou").text
    panel.get(here)
    newest = next(link for link in panel.page.links if link.endswith("/excluir"))
    panel.submit(newest)
    assert "O comentário foi excluído." in panel.page.text
    assert "Fale com o Zé." not in panel.page.text
    assert "3 vezes não ajudou" in panel.page.text
    panel.get(newest)
    panel.post(newest, panel.find_form(newest).values)
    assert "O comentário já não existia." in panel.page.text


def test_others_see_no_feedback(panel: PanelClient, make: Make) -> None:
    here = f"/painel/servicos/{make(status=1)['id']}/avaliacoes"
    panel.login("luiz")
    for path in ("/painel/avaliacoes", here, f"{here}/0198c2d4-6a1e-7f2b-9c35-0d8e4b7a1f60/excluir"):
        assert panel.get(path).status_code == 403


@pytest.mark.page
@pytest.mark.node
@pytest.mark.long
@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_axe_finds_nothing_on_the_pages_about_feedback(
    screen_of: Callable[..., Screen], make: Make, rate: Rate, width: int, scheme: str
) -> None:
    service = make(status=1)
    rate(service, False, "Não diz onde entregar os documentos.")
    screen = screen_of(width, color_scheme=scheme)
    screen.login("editora")
    here = f"/painel/servicos/{service['id']}/avaliacoes"
    for address in ("/painel/avaliacoes", here, f"{here}?aba=ajudou"):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    screen.open(here)
    screen.page.get_by_role("link", name="Excluir").click()
    expect(screen.page.get_by_role("heading", level=1)).to_have_text("Excluir o comentário?")
    assert screen.axe() == []
