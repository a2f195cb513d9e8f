"""Axe finds no violation on the pages about requests in any state, and no page is wider than the screen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.panel.requests.conftest import VERA, Ask, Make
from tests.support.demo_people import KLEBER
from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = choose_looks(1280, 360)


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_in_any_state_of_a_request(
    screen_of: Callable[..., Screen], make: Make, ask: Ask, width: int, scheme: str
) -> None:
    open_, closed = make()["number"], make()["number"]
    refusal = {"state": "refused", "text": "A lâmpada é do condomínio."}
    assert ask(VERA, "POST", f"/admin/maintenance-requests/{closed}/steps", json=refusal).status_code == 200
    screen = screen_of(width, color_scheme=scheme)
    screen.login("vera")
    for address in (
        "/painel/pedidos",
        "/painel/pedidos?prazo=atrasados&tipo=buraco_na_rua",
        f"/painel/pedidos/{open_}",
        f"/painel/pedidos/{closed}",
        f"/painel/pedidos/{open_}/mudar/perguntar",
        f"/painel/pedidos/{open_}/mudar/recusar",
        f"/painel/pedidos/{closed}/mudar/resolver",
        "/painel/pedidos/PED-99999999-0",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    screen.open(f"/painel/pedidos/{open_}/mudar/recusar")
    screen.page.get_by_role("button", name="Não atender").click()
    expect(screen.page.get_by_role("alert")).to_be_visible()
    assert screen.axe() == []


@pytest.mark.parametrize(("width", "scheme"), LOOKS)
def test_axe_finds_nothing_on_the_pages_about_types(
    screen_of: Callable[..., Screen], ask: Ask, width: int, scheme: str
) -> None:
    screen = screen_of(width, color_scheme=scheme)
    screen.login("wagner")
    here = "/painel/pedidos/tipos"
    for address in (
        here,
        f"{here}?aba=fora",
        f"{here}/novo",
        f"{here}/lampada_apagada",
        f"{here}/lampada_apagada/versoes",
    ):
        screen.open(address)
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
    screen.open(f"{here}/coleta_de_volumosos/editar")
    screen.page.get_by_role("button", name="Ver como o cidadão").click()
    expect(screen.page.get_by_role("heading", name="Como o cidadão vê")).to_be_visible()
    assert screen.axe() == []
    screen.page.get_by_label("Nome", exact=True).fill(f"Móveis {width} {scheme}")
    kind = ask(KLEBER, "GET", "/admin/request-types/coleta_de_volumosos").json()
    definition = {name: value for name, value in kind.items() if name not in ("id", "version", "updated_at")}
    changed = definition | {"name": f"Volumosos {width} {scheme}"}
    assert ask(KLEBER, "PUT", "/admin/request-types/coleta_de_volumosos", json=changed).status_code == 200
    screen.page.get_by_role("button", name="Gravar", exact=True).last.click()
    expect(screen.page.get_by_text("Outra pessoa gravou a versão")).to_be_visible()
    assert screen.axe() == []
    assert screen.wider_than_the_screen() == []
