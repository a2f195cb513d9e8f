"""What refuses before a page of the panel is asked, or instead of it: a page for browsers, in words for people."""

from tests.support.issuer import bearer
from tests.support.panel import PageContent, PanelClient
from tests.support.patience import until_now
from tests.support.sandbox import ADMIN, Sandbox

PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
DATA = {"Accept": "application/json"}


def test_an_address_that_has_no_such_method_is_refused_as_a_page_where_a_page_is_asked_for(sandbox: Sandbox) -> None:
    answer = sandbox.http.get("/painel/sair", headers=PAGE)
    assert (answer.status_code, answer.headers["allow"]) == (405, "OPTIONS, POST")
    assert answer.headers["content-type"].startswith("text/html")
    assert answer.headers["error-code"] == "method-not-allowed"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert PageContent(answer.text).heading == "Isto não se abre por um endereço"
    assert sandbox.http.get("/painel/sair", headers=DATA).json().keys() == {"error"}
    assert sandbox.http.get("/registry/v1/nada", headers=PAGE).json().keys() == {"error"}


def test_a_body_that_is_too_large_is_refused_as_a_page(sandbox: Sandbox) -> None:
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    answer = sandbox.http.post("/painel/conta/sessoes/encerrar", content=b"a=" + b"b" * 1_100_000, headers=PAGE | form)
    assert answer.status_code == 413
    assert "<html" in answer.text


def test_a_service_in_maintenance_says_so_in_the_words_of_its_operators_and_is_there_again(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    maintenance, admin = "/registry/v1/admin/maintenance/health_units", bearer(sandbox.tokens.person(ADMIN))
    panel.login("kleber")
    body = {"message": "Troca de máquina até as 14h.", "minutes": 10, "reason": "Troca"}
    sandbox.http.put(maintenance, json=body, headers=admin).raise_for_status()
    try:
        until_now(lambda: panel.get("/painel/saude/unidades").status_code == 503)
        assert panel.page.heading == "Em manutenção"
        assert "Troca de máquina até as 14h." in panel.page.text
        assert panel.get("/painel/servicos").status_code == 200
        assert "Troca de máquina até as 14h." in PageContent(panel.get("/painel").text).text
    finally:
        sandbox.http.delete(maintenance, headers=admin).raise_for_status()
    until_now(lambda: panel.get("/painel/saude/unidades").status_code == 200)
