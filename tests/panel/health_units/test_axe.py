"""Axe finds no violation on the pages of a health unit and its notifications."""

from collections.abc import Callable

import pytest

from tests.support.panel_browser import Screen
from tests.support.proof_sizes import choose_looks

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]

UNIT = "/painel/saude/unidades/9900016"


@pytest.mark.parametrize(("width", "scheme"), choose_looks(1280, 360))
def test_axe_finds_nothing_and_no_page_is_too_wide(
    screen_of: Callable[..., Screen], open_one: Callable[..., str], width: int, scheme: str
) -> None:
    notification = f"{UNIT}/notificacoes/{open_one('9900016', 'Vermelho')}"
    screen = screen_of(width, color_scheme=scheme)
    screen.login("silvia")
    for address in (
        "/painel/saude/risco",
        "/painel/saude/risco/abrir",
        f"{notification}/mudar",
        f"{notification}/encerrar",
        "/painel/saude/unidades?busca=nada+disso",
        "/painel/saude/unidades-nova",
        UNIT,
        f"{UNIT}/registro",
        f"{UNIT}/horarios",
        f"{UNIT}/dias",
        "/painel/saude/feriados",
        "/painel/saude/fontes",
        "/painel/saude/contagens",
    ):
        assert screen.open(address).status == 200, address
        assert screen.axe() == [], address
        assert screen.wider_than_the_screen() == [], address
