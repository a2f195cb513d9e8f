"""Lists with a page or a date in their address that no link of the panel contains."""

from datetime import date

import pytest

from balcao.panel.privacy.periods import read_period
from tests.support.panel import PanelClient

LISTS = ("/painel/servicos", "/painel/vagas", "/painel/empresas", "/painel/saude/unidades", "/painel/acessos/acoes")


@pytest.mark.parametrize("path", LISTS)
def test_a_page_after_the_last_one_leads_to_the_last(panel: PanelClient, path: str) -> None:
    panel.login("kleber")
    last = panel.get(f"{path}?pagina=9999")
    assert last.url.params.get("pagina") != "9999"
    assert " de 0" not in panel.page.text
    assert panel.get(str(last.url)).url == last.url


@pytest.mark.parametrize("day", ["0001-01-01", "1899-12-31", "2201-01-01", "9999-12-31"])
def test_a_day_outside_of_the_years_in_use_is_ignored(panel: PanelClient, day: str) -> None:
    panel.login("kleber")
    for path in ("/painel/acessos/historico", "/painel/dados/trilha"):
        assert [panel.get(f"{path}?{name}={day}").status_code for name in ("de", "ate")] == [200, 200]


def test_a_period_of_centuries_has_few_parts() -> None:
    parts = read_period("1900-01-01", "2200-12-31", date(2026, 11, 28)).split()
    assert len(parts) == 24
    assert parts[0].until == date(2200, 12, 31)
