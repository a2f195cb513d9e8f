"""If the panel refuses a request before it reaches a page, the browser still gets a page in plain words."""

import socket

import pytest

from balcao import app
from balcao.gateway.limits import Limits
from tests.support.issuer import bearer
from tests.support.panel import PageContent, PanelClient
from tests.support.polling import PATIENCE, until_now
from tests.support.sandbox import ADMIN, Sandbox
from tests.support.server import RunningServer

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


def test_a_body_that_is_too_large_is_refused_as_a_page(panel: PanelClient) -> None:
    panel.login("ana")
    answer = panel.post("/painel/conta/sessoes/encerrar", {"a": "b" * 1_100_000})
    assert answer.status_code == 413
    assert "<html" in answer.text


ACCEPT = b"Host: a\r\nAccept: text/html,*/*\r\n"
LONG = b"a" * 70_000


@pytest.mark.parametrize(
    ("sent", "status", "heading"),
    [
        (b"GET /painel/ir HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, "O pedido não pôde ser lido"),
        (b"GET /painel/ir?q=" + LONG, 414, "O endereço é longo demais"),
        (
            b"GET /painel HTTP/1.1\r\n" + ACCEPT + b"Cookie: a=" + LONG,
            431,
            "O navegador enviou informação demais",
        ),
        (
            b"POST /painel/sair HTTP/1.1\r\n" + ACCEPT + b"Content-Length: 9\r\n\r\na=",
            400,
            "O pedido não pôde ser lido",
        ),
        (b"GET /painel HTTP/1.1\r\nHost: a\r\nHost: b\r\nAccept: application/json\r\n\r\n", 400, ""),
        (b"HEAD /painel HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, ""),
        (b"GET /registry/v1/nada HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, ""),
    ],
)
def test_what_is_refused_before_it_was_read_is_a_page_for_who_asks_for_one(
    sandbox: Sandbox, sent: bytes, status: int, heading: str
) -> None:
    with socket.create_connection(("127.0.0.1", sandbox.settings.port), timeout=PATIENCE) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert PageContent(body.decode()).heading == heading
    assert (b"content-length: %d\r\n" % len(body)) in head + b"\r\n"
    assert (b"default-src 'none'; style-src" in head) is bool(heading)
    assert b"connection: close" in head


def test_a_form_that_does_not_come_whole_is_refused_as_a_page(sandbox: Sandbox) -> None:
    limits = Limits(body_seconds=0.2, settling_seconds=0)
    begun = b"POST /painel/sair HTTP/1.1\r\n" + ACCEPT + b"Content-Length: 9\r\n\r\na="
    with (
        RunningServer(app.build_application(sandbox.settings, sandbox.database_url), limits=limits) as hasty,
        socket.create_connection(("127.0.0.1", hasty.port), timeout=PATIENCE) as line,
    ):
        line.sendall(begun)
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    assert answer.startswith(b"HTTP/1.1 408 ")
    assert PageContent(answer.decode()).heading == "O pedido demorou demais a chegar"


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
