"""The first page lists the person's drafts and returned items, most urgent first, and does not repeat the menu."""

import hashlib
from collections.abc import Callable

from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox


def read_main(page: str) -> str:
    return page.partition("<main")[2].partition("</main>")[0]


def test_a_service_that_was_sent_back_waits_for_its_editors_with_the_reason(panel: PanelClient) -> None:
    panel.login("gestor", "/painel/aprovacoes")
    review = next(link for link in panel.page.links if link.startswith("/painel/aprovacoes/"))
    service = review.rpartition("/")[2]
    panel.submit(f"/painel/servicos/{service}/devolver", reason="Falta o endereço do posto.")
    panel.http.cookies.clear()
    main = read_main(panel.login("editora").text)
    assert "voltou para edição: “Falta o endereço do posto.”" in main
    assert f"/painel/servicos/{service}" in main


def test_own_texts_that_were_not_sent_wait(
    panel: PanelClient, sandbox: Sandbox, sql: Callable[..., list[dict[str, object]]]
) -> None:
    panel.login("kleber")
    panel.get("/painel/operacao/crm")
    form = panel.find_form("/painel/operacao/crm")
    key = hashlib.sha256(panel.http.cookies[f"painel-{sandbox.settings.port}"].encode()).digest()
    sql("UPDATE panel.session SET used_at = now() - interval '2 hours' WHERE key = $1", key)
    panel.post("/painel/operacao/crm", form.values | {"since": "2026-01-02T03:04"})
    main = read_main(panel.login("kleber").text)
    assert "tem um texto seu que não foi enviado" in main
    assert "/painel/rascunhos/" in main


def test_the_most_severe_comes_first(panel: PanelClient) -> None:
    panel.login("kleber")
    main = read_main(panel.get("/painel").text)
    seen = [kind for kind in ("urgent", "warning", "info") for _ in range(main.count(f'<span class="{kind}">'))]
    places = [main.index(f'<span class="{kind}">') for kind in dict.fromkeys(seen)]
    assert places == sorted(places)
    assert len(places) > 1


def test_the_first_page_never_repeats_the_menu(panel: PanelClient) -> None:
    page = panel.login("ana")
    assert "Nada espera por você." in page.text
    assert 'href="/painel/meus-dados"' not in read_main(page.text)
