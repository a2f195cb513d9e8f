"""In a real browser without scripts, a developer adds and removes faults on an accessible page."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from balcao_sandbox.crm.controls import PATH
from tests.support.crm import RunningCrm, crm_settings
from tests.support.panel_browser import opened_screen

pytestmark = [pytest.mark.page, pytest.mark.node, pytest.mark.long]


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with RunningCrm(crm_settings(tmp_path_factory.mktemp("crm"))) as crm:
        yield crm.settings.crm_url


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_a_fault_is_planted_and_taken_away(browser: Browser, address: str, width: int, scheme: str) -> None:
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        screen.open(PATH)
        assert screen.axe() == []
        assert screen.wider_than_the_screen() == []
        screen.page.get_by_label("Falha").select_option("misdirected")
        screen.page.get_by_role("button", name="Ligar a falha").click()
        expect(screen.page.get_by_role("status")).to_contain_text("misdirected")
        assert screen.axe() == []
        screen.page.get_by_role("button", name="Desligar as falhas").click()
        expect(screen.page.get_by_role("status")).to_have_text("Nenhuma falha em vigor.")
        assert screen.complaints == []
