"""Refusals outside the services: a page for callers that accept HTML, and JSON for all others."""

import socket

import httpx
import pytest

from balcao import app
from balcao.core.context.platform import Platform
from balcao.core.http.refusal_pages import wants_page
from balcao.gateway.head_rules import DISCARD_BYTES
from balcao.panel.areas import PAGES
from tests.support.panel import PageContent
from tests.support.polling import PATIENCE

PAGE = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}
PROGRAMS = [{}, {"Accept": "*/*"}, {"Accept": "application/json"}, {"Accept": "application/json, text/html;q=0.9"}]


@pytest.mark.parametrize(
    "path",
    [
        "/nada",
        "/docs/nada",
        "/docs/pt-BR/operacoes/nada",
        "/docs/en/operations/registry/nada",
        "/status/x",
        "/registro",
    ],
)
def test_an_address_that_is_none_is_a_page_for_a_browser(http: httpx.Client, path: str) -> None:
    answer = http.get(path, headers=PAGE)
    assert (answer.status_code, answer.headers["Error-Code"]) == (404, "not-found")
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert answer.headers["Cache-Control"] == "no-store"
    assert PageContent(answer.text).heading == "Página não encontrada"
    assert 'href="/docs"' in answer.text
    for headers in PROGRAMS:
        assert http.get(path, headers=headers).json() == {"error": "Não encontrado."}


def test_a_method_that_an_address_does_not_have_is_a_page_for_a_browser(http: httpx.Client) -> None:
    for path in ("/", "/docs", "/status"):
        answer = http.post(path, headers=PAGE)
        assert (answer.status_code, answer.headers["Allow"]) == (405, "GET, HEAD, OPTIONS")
        assert PageContent(answer.text).heading == "Isto não se abre por um endereço"
        assert http.post(path).json().keys() == {"error"}
        large = http.post(path, content=b"a" * 1_100_000, headers=PAGE)
        assert (large.status_code, large.headers["Content-Type"]) == (405, "text/html; charset=utf-8")


@pytest.mark.parametrize(
    "path", ["/registry/v1/nada", "/jobs/nada", "/search/nada", "/access/nada", "/health-units/nada", "/agent/nada"]
)
def test_what_belongs_to_a_service_is_in_its_words_whatever_is_accepted(http: httpx.Client, path: str) -> None:
    told = http.get(path)
    shown = http.get(path, headers=PAGE)
    assert (told.status_code, shown.status_code) == (404, 404)
    assert shown.content == told.content
    assert shown.headers["Content-Type"] == "application/json"


ACCEPT = b"Host: a\r\nAccept: text/html,*/*\r\n"
LONG = b"a" * 70_000


@pytest.mark.parametrize(
    ("sent", "status", "heading"),
    [
        (b"GET /docs HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, "O pedido não pôde ser lido"),
        (b"GET /status?q=" + LONG, 414, "O endereço é longo demais"),
        (b"GET / HTTP/1.1\r\n" + ACCEPT + b"Cookie: a=" + LONG, 431, "O navegador enviou informação demais"),
        (b"GET /docs HTTP/1.1\r\nHost: a\r\nHost: b\r\nAccept: application/json\r\n\r\n", 400, ""),
        (b"HEAD /docs HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, ""),
        (b"GET /registry/v1/nada HTTP/1.1\r\n" + ACCEPT + b"Host: b\r\n\r\n", 400, ""),
        (b"GET /search?q=" + LONG, 414, ""),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, ""),
    ],
)
def test_what_is_refused_before_it_was_read_is_a_page_for_who_asks_for_one(
    http: httpx.Client, sent: bytes, status: int, heading: str
) -> None:
    assert http.base_url.port is not None
    with socket.create_connection(("127.0.0.1", http.base_url.port), timeout=PATIENCE) as line:
        line.sendall(sent)
        line.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: line.recv(65_536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert PageContent(body.decode()).heading == heading
    assert bool(body) is bool(heading)


@pytest.mark.parametrize(
    ("accept", "page"),
    [
        (None, False),
        ("", False),
        ("*/*", False),
        ("text/*", False),
        ("TEXT/HTML", True),
        ("text/html;q=0", False),
        ("text/html; Q=0.000", False),
        ("text/html;level=1;q=0.4, application/json;q=0.5", False),
        ("application/json;q=0.5, text/html;q=0.6", True),
        ("application/json, text/html", False),
        ("text/html, application/json", True),
        ("text/html;q=nonsense", True),
        ("text/htmlx, application/xhtml+xml", False),
        (",;,", False),
    ],
)
def test_a_page_is_for_who_names_it_and_names_nothing_before_it(accept: str | None, page: bool) -> None:
    assert wants_page(accept) is page


async def test_a_body_that_is_half_as_large_again_as_any_may_be_is_read_on(platform: Platform) -> None:
    endpoints = [
        endpoint for service in app.SERVICES for _, _, endpoint in app.mount_service(service, platform).endpoints
    ]
    limits = [endpoint.body_limit for endpoint in endpoints] + [page.body_limit for page in PAGES.values()]
    assert max(limits) * 1.5 <= DISCARD_BYTES
