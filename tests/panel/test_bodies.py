"""Forms of every size: the panel checks who may send a form before it reads the body, and limits drafts."""

import hashlib
from collections.abc import Callable

import pytest

from balcao.web.sessions import drafts
from tests.http.connection import Connection
from tests.support.panel import PanelClient
from tests.support.sandbox import Sandbox

Sql = Callable[..., list[dict[str, object]]]
EXAMPLES = "/painel/agentes/dados/1/exemplos/novos"
DOCUMENT = "/painel/acessos/documento"
CRM = "/painel/operacao/crm"
LARGE = 100_000


def send_head(panel: PanelClient, sandbox: Sandbox, path: str, framing: str, **headers: str) -> Connection:
    """Send the headers of a form as a browser would, but not the body."""
    cookies = "; ".join(f"{one.name}={one.value}" for one in panel.http.cookies.jar)
    fields = {
        "Host": f"127.0.0.1:{sandbox.settings.port}",
        "Cookie": cookies,
        "Origin": sandbox.url,
        "Content-Type": "application/x-www-form-urlencoded",
    } | headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value)
    connection = Connection(sandbox.settings.port)
    connection.send(f"POST {path} HTTP/1.1\r\n{lines}{framing}\r\n\r\n".encode())
    return connection


def age(panel: PanelClient, sandbox: Sandbox, sql: Sql, hours: int) -> None:
    """End this browser's session, and set the end time to this many hours ago."""
    key = hashlib.sha256(panel.http.cookies[f"painel-{sandbox.settings.port}"].encode()).digest()
    ended = "UPDATE panel.session SET ended_at = now() - make_interval(hours => $2), tokens = NULL WHERE key = $1"
    sql(ended, key, hours)


def count_bytes(sql: Sql) -> int:
    (row,) = sql("SELECT coalesce(sum(octet_length(content)), 0)::bigint AS bytes FROM panel.draft")
    return int(str(row["bytes"]))


@pytest.fixture(autouse=True)
def without_drafts(sandbox: Sandbox, sql: Sql) -> None:
    sql("DELETE FROM panel.draft")


@pytest.mark.parametrize("framing", [f"Content-Length: {LARGE}", "Transfer-Encoding: chunked"])
@pytest.mark.parametrize("path", [DOCUMENT, EXAMPLES, "/painel/sair", "/painel/nada"])
def test_a_large_form_without_a_session_is_answered_before_it_has_come(
    panel: PanelClient, sandbox: Sandbox, path: str, framing: str
) -> None:
    with send_head(panel, sandbox, path, framing, Cookie="painel=unknown") as connection:
        if "chunked" in framing:
            connection.send(b"2710\r\n%b\r\n" % (b"a" * 10_000))
        assert connection.answer() in {"401", "303", "405"}


def test_a_large_form_from_another_site_is_refused_before_it_has_come(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("kleber")
    framing = f"Content-Length: {LARGE}"
    with send_head(panel, sandbox, DOCUMENT, framing, Origin="https://mal.example") as connection:
        assert connection.answer() == "403"


def test_a_large_form_to_a_page_that_the_person_may_not_open_is_refused_before_it_has_come(
    panel: PanelClient, sandbox: Sandbox
) -> None:
    panel.login("ana")
    panel.get("/painel")
    with send_head(panel, sandbox, EXAMPLES, "Content-Length: 16000000") as connection:
        assert connection.answer() == "403"


def test_a_large_form_of_a_session_that_ended_more_than_a_day_ago_is_not_read(
    panel: PanelClient, sandbox: Sandbox, sql: Sql
) -> None:
    panel.login("kleber")
    age(panel, sandbox, sql, 25)
    with send_head(panel, sandbox, DOCUMENT, f"Content-Length: {LARGE}") as connection:
        assert connection.answer() == "401"


def test_a_large_form_of_a_session_that_ended_within_a_day_is_kept_whole(
    panel: PanelClient, sandbox: Sandbox, sql: Sql
) -> None:
    panel.login("kleber")
    panel.get(DOCUMENT)
    form = panel.find_form(DOCUMENT)
    age(panel, sandbox, sql, 23)
    typed = "ação: é\n" * 100_000
    answer = panel.post(DOCUMENT, form.values | {"document": typed})
    assert answer.status_code == 401
    assert "está guardado por 24 horas" in answer.text
    panel.login("kleber", "/painel/rascunhos")
    panel.get(next(link for link in panel.page.links if link.startswith("/painel/rascunhos/")))
    panel.get(next(link for link in panel.page.links if "rascunho=" in link))
    assert panel.find_form(DOCUMENT).values["document"].split() == typed.split()


def test_a_form_that_another_site_sends_in_an_ended_session_is_not_kept(
    panel: PanelClient, sandbox: Sandbox, sql: Sql
) -> None:
    panel.login("kleber")
    secret = panel.read_secret()
    age(panel, sandbox, sql, 1)
    for headers in ({"Origin": "https://mal.example"}, {"Origin": sandbox.url, "Sec-Fetch-Site": "cross-site"}):
        answer = panel.http.post(CRM, data={"_csrf": secret, "since": "x"}, headers=headers)
        assert answer.status_code == 403
    assert count_bytes(sql) == 0


@pytest.mark.parametrize("size", [10, LARGE])
def test_nothing_is_kept_of_a_form_to_a_page_that_the_person_may_not_open(
    panel: PanelClient, sandbox: Sandbox, sql: Sql, size: int
) -> None:
    panel.login("ana")
    secret = panel.read_secret()
    age(panel, sandbox, sql, 1)
    for path in (EXAMPLES, DOCUMENT, CRM):
        answer = panel.post(path, {"_csrf": secret, "typed": "x" * size})
        assert answer.status_code == 401
        assert "Nada foi enviado" in answer.text
    assert count_bytes(sql) == 0


def test_the_texts_that_are_kept_of_one_person_are_bounded_in_bytes_and_the_newest_stay(
    panel: PanelClient, sandbox: Sandbox, sql: Sql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drafts, "MOST_DRAFT_BYTES", 250_000)
    panel.login("kleber")
    secret = panel.read_secret()
    age(panel, sandbox, sql, 1)
    for number in range(5):
        answer = panel.post(DOCUMENT, {"_csrf": secret, "document": f"{number}" * LARGE})
        assert "está guardado" in answer.text
    answer = panel.post(DOCUMENT, {"_csrf": secret, "document": "x" * 300_000})
    assert "está guardado" not in answer.text
    assert LARGE < count_bytes(sql) <= 250_000
    panel.login("kleber", "/painel/rascunhos")
    kept = {link for link in panel.page.links if link.startswith("/painel/rascunhos/")}
    assert {text[0] for link in kept for text in [panel.get(link).text.split('<li class="prose">')[1]]} == {"3", "4"}


def test_another_page_is_answered_while_a_large_form_is_parsed(panel: PanelClient, sandbox: Sandbox) -> None:
    panel.login("kleber")
    panel.get(DOCUMENT)
    secret = panel.find_form(DOCUMENT).values["_csrf"]
    body = f"_csrf={secret}&document=".encode() + b"%c3%a1" * 600_000
    with send_head(panel, sandbox, DOCUMENT, f"Content-Length: {len(body)}") as connection:
        connection.send(body[:-1])
        assert panel.http.get("/painel/readiness").status_code == 200
        connection.send(body[-1:])
        answered = sum(panel.http.get("/painel/readiness").status_code == 200 for _ in range(3))
        assert (answered, connection.has_answer()) == (3, False)
        assert connection.answer() in {"200 ", "400", "413", "422"}
