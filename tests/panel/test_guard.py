"""A login returns only to pages of the panel, whatever the return address looks like."""

import pytest

from balcao.web.guard import read_return_path

ELSEWHERE = [
    "",
    "/docs",
    "/painelx",
    "https://mal.example/painel",
    "//mal.example/painel",
    "///painel",
    "/\\mal.example",
    "/painel//mal.example",
    "/painel/../docs",
    "/painel/..",
    "/painel/./../docs",
    "/painel/conta/../../docs",
    "/painel/%2e%2e/docs",
    "/painel/.%2E/docs",
    "/painel/%2e./docs",
    "/painel/%252e%252e/docs",
    "/painel/%25252e%25252e/docs",
    "/painel/..%2fdocs",
    "/painel/%2e%2e%2fdocs",
    "/painel/..\\docs",
    "/painel/..%5cdocs",
    "/painel/%5c%5cmal.example",
    "/painel/%2f%2fmal.example",
    "/painel/.%09./docs",
    "/painel/.%0a./docs",
    "/painel/.\t./docs",
    "/painel/\n//mal.example",
    "/painel/%00/../docs",
    "/painel/..;/docs",
    "/%70ainel/../docs",
    "/painel" + "/a" * 2_000,
]
PAGES = [
    "/painel",
    "/painel/",
    "/painel?a=b",
    "/painel/conta",
    "/painel/operacao/tarefas?tipo=crm_push&de=2026-01-01T00%3A00",
    "/painel/ir?q=..%2F..%2Fdocs",
    "/painel/servicos/a%20b%2Fc",
    "/painel/servicos/v1.2",
    "/painel/servicos/...",
    "/painel/servicos/100%25",
]


@pytest.mark.parametrize("address", ELSEWHERE)
def test_an_address_that_may_lead_off_the_panel_leads_to_the_first_page(address: str) -> None:
    assert read_return_path(address, "/painel") == "/painel"


@pytest.mark.parametrize("address", PAGES)
def test_an_address_of_a_page_is_led_back_to(address: str) -> None:
    assert read_return_path(address, "/painel") == address
