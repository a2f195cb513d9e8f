"""In a real browser, the status page is accessible at every width, and with only a keyboard."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest
from playwright.sync_api import Browser

from balcao import app
from balcao.core.live import incidents, maintenance
from balcao.settings import Settings
from tests.support.fixture_types import Sql
from tests.support.operator_calls import acting
from tests.support.panel_browser import opened_screen
from tests.support.server import RunningServer

pytestmark = pytest.mark.page
COUNT = "INSERT INTO platform.response_count VALUES ('day', $1, 'search', 1000, 0, $2, 0, 1)"
SENTENCE = "O banco de dados muda de máquina."


@pytest.fixture(scope="module")
def address(settings: Settings, database_url: str, sql: Sql) -> Iterator[str]:
    now = datetime.now(UTC)
    for days, faults in ((1, 0), (2, 5), (3, 50)):
        sql(COUNT, now - timedelta(days=days), faults)
    with acting(settings, database_url, "platform.test") as act:
        number = act(incidents.open_incident, "Buscas fora do ar", ["search"], "down", "Estamos vendo.", "ana@maquina")
        act(partial(incidents.add_note, resolves=True), number, "Voltou.", "ana@maquina")
        act(incidents.open_incident, "Cadastro lento", ["registry"], "degraded", "Estamos vendo.", "ana@maquina")
        act(maintenance.begin_maintenance, ["employability"], SENTENCE, None, "ana@maquina")
        begin = now + timedelta(hours=1)
        act(maintenance.plan_maintenance, ["agents"], SENTENCE, begin, begin + timedelta(hours=1), "ana@maquina")
    with RunningServer(app.build_application(settings, database_url)) as server:
        yield server.url


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1280])
def test_everybody_can_use_the_page(browser: Browser, address: str, width: int, scheme: str) -> None:
    with opened_screen(browser, address, width, color_scheme=scheme) as screen:
        screen.open("/status")
        assert screen.axe() == []
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_days_below_the_level_are_opened_by_the_keyboard_alone(browser: Browser, address: str) -> None:
    with opened_screen(browser, address, java_script_enabled=False) as screen:
        screen.open("/status")
        table = screen.page.get_by_role("table")
        assert not table.is_visible()
        screen.page.get_by_text("2 dias abaixo da meta").focus()
        screen.page.keyboard.press("Enter")
        assert table.is_visible()
        assert "95,00 %" in table.inner_text()


def test_the_page_weighs_little(browser: Browser, address: str) -> None:
    with opened_screen(browser, address) as screen:
        answer = screen.open("/status")
        assert len(answer.body()) < 60_000
