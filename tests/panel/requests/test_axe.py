"""Axe finds nothing on the pages about requests in any state, and no page is wider than the screen."""

from collections.abc import Callable

import pytest

from tests.panel.requests.conftest import VERA, Ask, Make
from tests.support.panel_browser import Screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

LOOKS = [(1280, "light"), (360, "dark")]


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
    assert screen.axe() == []
