"""If an address asks for a page after the last one, the list redirects to its last page."""

import pytest

from tests.support.panel import PanelClient

LISTS = ("/painel/servicos", "/painel/vagas", "/painel/empresas", "/painel/saude/unidades", "/painel/acessos/acoes")


@pytest.mark.parametrize("path", LISTS)
def test_a_page_after_the_last_one_leads_to_the_last(panel: PanelClient, path: str) -> None:
    panel.login("kleber")
    last = panel.get(f"{path}?pagina=9999")
    assert last.url.params.get("pagina") != "9999"
    assert " de 0" not in panel.page.text
    assert panel.get(str(last.url)).url == last.url
